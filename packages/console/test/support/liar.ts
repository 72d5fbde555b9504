import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** What a server answers, to be altered: the body of an answer in JSON. */
// biome-ignore lint/suspicious/noExplicitAny: lies are of every shape
export type Lie = (body: any, path: string) => unknown;

/** A server between the browser and the real one, that passes everything on, and tells the lie of a test. */
export function withLiar(real: () => string): {
  readonly url: string;
  lie: Lie | undefined;
  status: number | undefined;
} {
  let server: Server | undefined;
  const liar = {
    lie: undefined as Lie | undefined,
    /** What the answers to a lie have for a status; that of the real server unless given. */
    status: undefined as number | undefined,
    get url() {
      const { port } = server!.address() as AddressInfo;
      return `http://127.0.0.1:${port}/v2`;
    },
  };
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { host: _, connection: __, 'accept-encoding': ___, ...headers } = request.headers;
      const answer = await fetch(new URL(request.url ?? '/', real()), {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        body: parts.length === 0 ? null : Buffer.concat(parts),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const { 'content-encoding': ____, 'content-length': _____, ...kept } = Object.fromEntries(answer.headers);
      const isJson = answer.headers.get('content-type')?.includes('json') && liar.lie;
      const body = isJson ? JSON.stringify(liar.lie?.(JSON.parse(bytes.toString()), request.url ?? '')) : bytes;
      response.writeHead((isJson && liar.status) || answer.status, kept).end(body);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server?.close());
  return liar;
}
