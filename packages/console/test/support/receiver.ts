import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** A receiver of effects on this machine, which refuses until it is told to take. */
export function withReceiver(): { readonly url: string; takes: boolean } {
  const receiver = {
    takes: false,
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    },
  };
  const server = createServer((_, response) => response.writeHead(receiver.takes ? 204 : 400).end());
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void server.close());
  return receiver;
}
