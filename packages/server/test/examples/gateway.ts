import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that came through the gateway. */
export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Stands between a client and a real server; tests may hold, refuse or lose what passes. */
export class Gateway {
  readonly passed: Passed[] = [];
  /** Answers in place of the server, unless it calls `forward`. */
  instead: ((request: Passed, response: ServerResponse, forward: () => Promise<void>) => void) | undefined;
  readonly #server: Server;

  constructor(private readonly target: string) {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  /** @returns the base URL, as that of the server */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v2`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Proofs that passed, as they were sent. */
  proofs(): string[] {
    return this.passed.filter(({ path }) => path.endsWith('/proofs')).map(({ body }) => body);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const passed = { method: request.method!, path: request.url!, body: Buffer.concat(chunks).toString() };
    this.passed.push(passed);
    const forward = async () => {
      const { 'x-ledger': ledger, 'content-type': type, authorization } = request.headers;
      const headers = Object.entries({ 'x-ledger': ledger, 'content-type': type, authorization });
      const answer = await fetch(new URL(passed.path, this.target), {
        method: passed.method,
        headers: headers.filter((header): header is [string, string] => typeof header[1] === 'string'),
        ...(passed.body === '' ? {} : { body: passed.body }),
      });
      const text = await answer.text();
      if (!response.destroyed && !response.headersSent) response.writeHead(answer.status).end(text);
    };
    if (this.instead) this.instead(passed, response, forward);
    else await forward();
  }
}
