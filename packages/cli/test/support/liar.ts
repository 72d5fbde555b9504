import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendHttp } from '../../../server/test/support/http.js';

/** What a liar does with a request: another path to ask instead, another answer, or an answer that it writes itself. */
export interface Lies {
  /** The path that the real server is asked for instead. */
  readonly path?: (path: string, method: string) => string;
  /** Changes an answer that is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  readonly body?: (body: any, path: string, method: string) => unknown;
  /** Answers by itself where it says so. */
  readonly alone?: (path: string, response: ServerResponse) => boolean;
}

/** A request that came. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A server between a client and the real one, which tells lies. */
export interface Liar {
  /** Base URL. */
  readonly url: string;
  readonly asked: readonly Asked[];
  stop(): Promise<void>;
}

/** Starts a liar before a server. */
export async function startLiar(server: string, lies: Lies): Promise<Liar> {
  const { origin, pathname } = new URL(server);
  const asked: Asked[] = [];
  const liar = createServer(async (request, response) => {
    const { method = 'GET', url = '', headers } = request;
    let body = '';
    for await (const part of request) body += part;
    asked.push({ method, path: url, body });
    if (lies.alone?.(url, response)) return;
    const kept = ['authorization', 'x-ledger', 'content-type'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]],
    );
    const path = lies.path?.(url, method) ?? url;
    const answer = await sendHttp(origin + path, method, Object.fromEntries(kept), body === '' ? undefined : body);
    const { text } = answer;
    response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(lies.body && text !== '' ? JSON.stringify(lies.body(JSON.parse(text), url, method)) : text);
  });
  liar.listen(0, '127.0.0.1');
  await once(liar, 'listening');
  const { port } = liar.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    asked,
    stop: async () => {
      liar.closeAllConnections();
      liar.close();
      await once(liar, 'close');
    },
  };
}
