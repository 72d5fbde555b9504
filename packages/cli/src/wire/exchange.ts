import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Failure, usage } from '../terminal/failure.js';
import { TO_REACH } from './advice.js';

/** Milliseconds until an answer must have begun: more than the server takes for its slowest request. */
const ANSWER_PATIENCE = 40_000;
/** Milliseconds until an answer that is read as a whole must have ended, however steadily it drips. */
const LONGEST_ANSWER = 300_000;
/** Bytes of an answer that is read as a whole: a page has 8 MiB of records, which proofs and escapes may double. */
const LARGEST_ANSWER = 64 * 2 ** 20;

/** A request as it goes out. Nothing is added to the headers but `host`, `content-length` and `connection`. */
export interface Outgoing {
  readonly method: string;
  /** Base URL of the server. */
  readonly server: URL;
  /** Path below the base URL with its query, as it is to be sent. */
  readonly path: string;
  /** Names and values; a name may occur again. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array;
  /** Stops waiting, and closes the connection. */
  readonly signal?: AbortSignal;
}

/** An answer that was read to its end. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/**
 * Checks the address of a server.
 *
 * @returns the base URL without a slash at its end
 * @throws Failure unless it is one of `http` or `https`
 */
export function serverUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    throw usage(`'${text}' is not the address of a server.`, 'give one such as http://127.0.0.1:3000/v2');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw usage(`An address of a server begins with http:// or https://, not ${url.protocol}//.`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usage('An address of a server has no user, query or fragment.');
  }
  url.pathname = url.pathname.replace(/\/+$/, '') || '/v2';
  return url;
}

/** Whether two addresses are spellings of one: case of the host, the default port and a slash at the end are the same. */
export function isSameServer(one: string | undefined, other: string): boolean {
  return one !== undefined && serverUrl(one).href === serverUrl(other).href;
}

/**
 * Sends a request; resolves when the head of the answer is there. Redirects are not followed: a signature and a token
 * are for this server.
 *
 * @throws Failure `unreachable` when there is no answer
 */
export function exchange({ method, server, path, headers, body, signal }: Outgoing): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = server.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = send({
      method,
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port || (server.protocol === 'https:' ? 443 : 80),
      path: server.pathname + path,
      headers: [
        'host',
        server.host,
        ...headers.flat(),
        ...(body === undefined ? [] : ['content-length', String(body.length)]),
        'connection',
        'close',
      ],
      signal,
    });
    request.setTimeout(ANSWER_PATIENCE, () => request.destroy(new Error('no answer in time')));
    request.on('response', resolve);
    request.on('error', (error) => reject(unreachable(server, error)));
    request.end(body);
  });
}

/** Sends a request and reads its answer to the end, which comes within `longest` milliseconds. */
export async function sendRequest(outgoing: Outgoing, longest = LONGEST_ANSWER): Promise<HttpAnswer> {
  const end = AbortSignal.timeout(longest);
  const signal = outgoing.signal === undefined ? end : AbortSignal.any([outgoing.signal, end]);
  try {
    return await askWithin({ ...outgoing, signal });
  } catch (error) {
    throw end.aborted ? unreachable(outgoing.server, new Error('no answer in time')) : error;
  }
}

async function askWithin(outgoing: Outgoing): Promise<HttpAnswer> {
  const incoming = await exchange(outgoing);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LARGEST_ANSWER) throw new Error(`the answer is larger than ${LARGEST_ANSWER} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreachable(outgoing.server, error as Error);
  }
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) };
}

function unreachable({ origin, pathname }: URL, error: Error & { readonly code?: string }): Failure {
  const why = error.code ?? error.message;
  return new Failure('unreachable', `${origin}${pathname} does not answer: ${why}.`, { advice: TO_REACH });
}
