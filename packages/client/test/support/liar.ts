import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

/** An exchange with the real server, as the liar saw it. */
export interface Exchange {
  readonly method: string;
  /** With the query, below `/v2`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly sent: string;
  status: number;
  /** The parsed answer; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: lies are of every shape
  body: any;
  /** Sent instead of the body, as it is. */
  raw?: string | AsyncIterable<Uint8Array>;
  answerHeaders: Record<string, string>;
}

/** What becomes of an answer on its way; `'cut'` ends the connection instead. */
export type Lie = (exchange: Exchange) => undefined | 'cut' | Promise<undefined | 'cut'>;

/** A server in front of the real one that changes answers. */
export class Liar {
  readonly seen: Exchange[] = [];
  lie: Lie = () => undefined;
  url = '';
  readonly #server: Server;

  private constructor(readonly target: string) {
    this.#server = createServer((request, response) => {
      void this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async before(target: string): Promise<Liar> {
    const liar = new Liar(target);
    await new Promise<void>((resolve) => liar.#server.listen(0, '127.0.0.1', resolve));
    liar.url = `http://127.0.0.1:${(liar.#server.address() as { port: number }).port}/v2`;
    return liar;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse) {
    const sent = await text(request);
    const path = (request.url ?? '').replace(/^\/v2/, '');
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(this.target + path, {
      method: request.method ?? '',
      headers: headers as Record<string, string>,
      ...(sent ? { body: sent } : {}),
    });
    const said = await answer.text();
    const exchange: Exchange = {
      ...{
        method: request.method ?? '',
        path,
        headers: request.headers,
        sent,
        status: answer.status,
        answerHeaders: {},
      },
      body: said ? JSON.parse(said) : undefined,
    };
    this.seen.push(structuredClone(exchange));
    if ((await this.lie(exchange)) === 'cut') return response.destroy();
    response.writeHead(exchange.status, { 'content-type': 'application/json', ...exchange.answerHeaders });
    if (typeof exchange.raw === 'object') {
      for await (const chunk of exchange.raw) {
        if (response.destroyed) return;
        if (!response.write(chunk)) await drained(response);
      }
      return response.end();
    }
    return response.end(exchange.raw ?? (exchange.body === undefined ? '' : JSON.stringify(exchange.body)));
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
