import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** A delivery as a receiver saw it. */
export interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** As it came. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into events of every shape
  readonly body: any;
}

/** A real HTTP server that takes events; tests may answer in its place. */
export class TestReceiver {
  readonly received: ReceivedEvent[] = [];
  instead: ((event: ReceivedEvent, response: ServerResponse) => void) | undefined;
  url = '';
  readonly #server = createServer((request, response) => void this.#take(request, response));

  async start(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const event = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) };
    this.received.push(event);
    if (this.instead) this.instead(event, response);
    else response.writeHead(202).end();
  }
}

/** A receiver for all tests of a file, empty before each. */
export function withReceiver(): TestReceiver {
  const receiver = new TestReceiver();
  beforeAll(() => receiver.start());
  afterAll(() => receiver.stop());
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.instead = undefined;
  });
  return receiver;
}
