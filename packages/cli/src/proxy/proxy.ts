import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { LedgerError, parseJson, readJson } from '@countersign/protocol';
import { failureOfClient } from '../client-failure.js';
import { Failure } from '../terminal/failure.js';
import { JSON_BOUNDS } from '../terminal/input.js';
import { exchange, type HttpAnswer, sendRequest } from '../wire/exchange.js';
import type { CallerIdentity } from '../wire/identity.js';
import { routeOf, type WriteRoute } from '../wire/route.js';
import { signRequest } from '../wire/sign.js';
import { type PinnedLedger, TrustedRecords } from '../wire/trusted-records.js';
import { whyRefused } from './guard.js';
import { forwardHeaders } from './headers.js';
import { ProxyBodyTooLarge, pathBelow, readBody } from './request.js';

/** What the proxy needs. */
export interface ProxyOptions {
  /** Base URL of the server. */
  readonly server: URL;
  readonly identity: CallerIdentity;
  /** The ledger of requests that name none; without it they go out as they came. */
  readonly ledger?: string | undefined;
  /** A ledger whose key was noted. Of others, the first key is trusted for as long as the proxy runs. */
  readonly pinned?: PinnedLedger | undefined;
  /** Origins of web pages that may use the proxy. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Whether proofs name the ledger. */
  readonly isBound: boolean;
  now(): number;
  /** Takes one line for each request: method, path, status and time, never a header or body. */
  log(line: string): void;
}

/** An answer of the server that ends a request early, such as that to reading the record. */
class EarlyAnswer extends Error {
  constructor(readonly answer: HttpAnswer) {
    super('answered');
  }
}

/** A proxy's settings, and the records that it has seen. */
interface ProxyDeps extends ProxyOptions {
  readonly records: TrustedRecords;
}

/** A proxy that adds the token to each request, and signs the writes. It is for development and testing. */
export function createProxy(options: ProxyOptions): Server {
  const deps = { ...options, records: new TrustedRecords(options.pinned) };
  return createServer((request, response) => {
    const begun = options.now();
    response.on('close', () => {
      const path = (request.url ?? '').split('?')[0];
      const status = response.headersSent ? response.statusCode : 'closed';
      options.log(`${request.method} ${path} ${status} ${options.now() - begun} ms`);
    });
    serveRequest(request, response, deps).catch((error: unknown) => sendFailure(response, error));
  });
}

async function serveRequest(request: IncomingMessage, response: ServerResponse, options: ProxyDeps): Promise<void> {
  const reason = whyRefused(request.headers, options.allowedOrigins);
  if (reason !== undefined) {
    request.resume();
    sendOwnAnswer(response, 403, { reason: 'auth.forbidden', detail: reason });
    return;
  }
  const target = pathBelow(request.url ?? '', options.server.pathname);
  if (target === undefined) {
    request.resume();
    sendOwnAnswer(response, 400, { reason: 'api.query-malformed', detail: 'The target of the request is not a path' });
    return;
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const headers = headersToForward(request, target, options);
  const body = await bodyOf(request, target, options, headers);
  const outgoing = { method: request.method ?? 'GET', server: options.server, path: target, ...body };
  const upstream = await exchange({ ...outgoing, signal: gone.signal });
  response.writeHead(upstream.statusCode ?? 502, upstream.statusMessage, forwardHeaders(upstream.rawHeaders).flat());
  await pipeline(upstream, response);
}

/** The caller's own headers, and the ledger where one was set and the request is within a ledger. */
function headersToForward(
  { rawHeaders, headers }: IncomingMessage,
  target: string,
  { ledger }: ProxyOptions,
): [string, string][] {
  const passed = forwardHeaders(rawHeaders, ['host', 'content-length', 'expect']);
  const isWithin = !/^\/(ledgers(\/[^/]*)?|openapi\.json)?\/?(\?|$)/.test(target);
  if (ledger !== undefined && headers['x-ledger'] === undefined && isWithin) passed.push(['x-ledger', ledger]);
  return passed;
}

function findHeader(headers: readonly (readonly [string, string])[], name: string): string | undefined {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1];
}

/** Signs the body, and adds the token. */
async function bodyOf(
  request: IncomingMessage,
  target: string,
  options: ProxyDeps,
  headers: [string, string][],
): Promise<{ headers: [string, string][]; body?: Buffer }> {
  const path = target.split('?')[0] as string;
  const bytes = await readBody(request);
  const ledger = findHeader(headers, 'x-ledger');
  if (path === '/oauth/token') return { headers, body: bytes };
  if (findHeader(headers, 'authorization') === undefined) {
    const authorization = await options.identity.authorization(ledger);
    if (authorization !== undefined) headers.push(['authorization', authorization]);
  }
  const method = request.method ?? 'GET';
  if (routeOf(method, path) === undefined) return bytes.length === 0 ? { headers } : { headers, body: bytes };
  const sent = bytes.length === 0 ? undefined : parseJson(bytes.toString('utf8'), JSON_BOUNDS);
  const read = (route: WriteRoute) =>
    options.records.read(route, ledger, () => fetchRecord(route.record, headers, options));
  const signed = await signRequest(method, path, sent, {
    key: options.identity.key,
    ledger,
    isBound: options.isBound,
    now: options.now,
    read,
  });
  if (signed === sent) return bytes.length === 0 ? { headers } : { headers: asJson(headers), body: bytes };
  return { headers: asJson(headers), body: Buffer.from(JSON.stringify(signed)) };
}

/** A body that is signed is JSON, whatever the caller says: `curl -d` calls it a form. */
function asJson(headers: readonly [string, string][]): [string, string][] {
  const others = headers.filter(([name]) => !['content-type', 'content-encoding'].includes(name.toLowerCase()));
  return [...others, ['content-type', 'application/json']];
}

/** Reads the record that a proof, update or drop is about, as the caller. */
async function fetchRecord(
  path: string,
  headers: readonly [string, string][],
  { server }: ProxyOptions,
): Promise<unknown> {
  const own = headers.filter(([name]) => ['x-ledger', 'authorization'].includes(name.toLowerCase()));
  const found = await sendRequest({ method: 'GET', server, path, headers: [...own, ['accept', 'application/json']] });
  if (found.status !== 200) throw new EarlyAnswer(found);
  try {
    return readJson(found.bytes.toString());
  } catch {
    throw new Failure('unreachable', 'The server answered something other than a record');
  }
}

function sendFailure(response: ServerResponse, thrown: unknown): void {
  const error = failureOfClient(thrown) ?? thrown;
  if (response.headersSent || response.destroyed) {
    response.destroy();
  } else if (error instanceof EarlyAnswer) {
    const { status, headers, bytes } = error.answer;
    const type = headers['content-type'];
    response.writeHead(status, type === undefined ? {} : { 'content-type': type });
    response.end(bytes);
  } else if (error instanceof LedgerError) {
    sendOwnAnswer(response, error instanceof ProxyBodyTooLarge ? 413 : 400, {
      reason: error.reason,
      detail: error.detail,
    });
  } else if (error instanceof Failure && error.exit === 'refused') {
    sendOwnAnswer(response, 401, { reason: 'auth.unauthorized', detail: `No token was obtained: ${error.message}` });
  } else {
    const detail = error instanceof Failure ? error.message : 'The proxy failed unexpectedly';
    sendOwnAnswer(response, error instanceof Failure ? 502 : 500, { reason: 'api.unexpected-error', detail });
  }
}

/** An answer of the proxy itself: unsigned, in the form of the server's errors. */
function sendOwnAnswer(response: ServerResponse, status: number, data: { reason: string; detail: string }): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ data }));
}
