import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isObject, type Json, LedgerError, parseJson } from '@countersign/protocol';
import type { FastifyBaseLogger } from 'fastify';
import { type AdminDeps, assertMigrated, explainFailure } from '../admin/database.js';
import { type AdminOperationName, isOperation, prepareCall } from '../admin/operations.js';
import { type AdminRefusal, AdminRefused, type RefusalReason, refusalOf, WrongCall } from '../admin/refusals.js';
import { FailureCounts } from '../auth/failures.js';
import { jsonLimits } from '../base/json-limits.js';
import type { Config } from '../config.js';
import { senderOf } from '../http/sender.js';
import { urlsOf } from '../listen-addresses.js';
import { createReplays } from '../store/queries/replays.js';
import { type Judge, Unauthorized, useOperatorToken, verifyOperatorToken } from './authenticate.js';
import { readDeploymentId } from './deployment.js';
import { operatorLimits } from './operator-limits.js';
import { createCutPool } from './pool.js';

/** Serves operators on the connections that it is given. */
export interface OperatorsServer {
  /** What operators call. */
  readonly url: string;
  /** Serves a connection from which nothing was read, or closes it where there are too many. */
  take(socket: Socket): void;
  stop(): Promise<void>;
}

export interface OperatorsOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What requests are answered with. */
interface ServingDeps {
  readonly urls: readonly string[];
  readonly judge: Judge;
  readonly config: Config;
  readonly logger: OperatorsOptions['logger'];
  /** Of one sender, and of all. */
  readonly failures: readonly [FailureCounts, FailureCounts];
  /** Works on connections of its own, which are cut once `left` is aborted. @throws as `OperationDeps.onDatabase` does */
  onDatabase<T>(left: AbortSignal, work: (deps: AdminDeps) => Promise<T>): Promise<T>;
  /** Connections, and whether a request has come on each. */
  readonly connections: Map<Socket, { isAsked: boolean }>;
  /** Operations under way. */
  readonly looks: Set<Promise<unknown>>;
  readonly changes: Set<Promise<unknown>>;
}

/**
 * Serves the operations of operators: `POST /operations/<name>` with the input as JSON, and a token that an operator's key has signed for
 * this one request (docs/operations/operators.md). `GET /` names the deployment.
 *
 * @throws Error in one line for the operator when the database cannot be used
 */
export async function serveOperators(options: OperatorsOptions): Promise<OperatorsServer> {
  const { config, databaseUrl: url, logger, now } = options;
  const { adminPort: port = 0, adminHost: host, adminUrl } = config;
  const ours = config.databaseUrl === undefined;
  const explained = (error: unknown) => {
    throw explainFailure(error, url, ours);
  };
  const stopped = new AbortController();
  // Of its own: whatever operations wait for, requests are verified.
  const pool = createCutPool(url, operatorLimits.database, stopped.signal);
  try {
    const deployment = await readDeploymentId(pool).catch(explained);
    const replays = createReplays(pool, { now, random: () => new Uint8Array() });
    const use: Judge['replays']['use'] = (...one) => Promise.resolve(replays.use(...one)).catch(explained);
    const deps: ServingDeps = {
      urls: adminUrl === undefined ? urlsOf(host, port) : [new URL(adminUrl).href.replace(/\/$/, '')],
      judge: { operators: config.operatorKeys, deployment, replays: { use }, now },
      config,
      logger,
      failures: [
        new FailureCounts(now, operatorLimits.refusals),
        new FailureCounts(now, { ...operatorLimits.refusals, attempts: operatorLimits.refusals.ofAll }),
      ],
      async onDatabase(left, work) {
        const signal = AbortSignal.any([left, stopped.signal]);
        const own = createCutPool(url, operatorLimits.database, signal);
        try {
          // A later release may have migrated it beyond this one.
          const looked = assertMigrated(own);
          return await looked.then(() => work({ pool: own, config, url })).catch(explained);
        } catch (error) {
          throw signal.aborted ? new AdminRefused('The operation was cut short.') : error;
        } finally {
          await own.end();
        }
      },
      connections: new Map(),
      looks: new Set(),
      changes: new Set(),
    };
    return {
      url: deps.urls[0]!,
      take: takeBy(deps),
      async stop() {
        await finish(deps, stopped);
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Makes what serves a connection. It is closed unless a whole request arrives within `operatorLimits.request`. */
function takeBy(deps: ServingDeps): (socket: Socket) => void {
  const { connections } = deps;
  // This server never listens, so Node.js does not enforce its time-outs: `deadlines` takes their place.
  const server = createServer(async (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection) connection.isAsked = true;
    request.once('end', () => clearTimeout(deadlines.get(socket)));
    const left = new AbortController();
    response.on('close', () => left.abort());
    const { status, body } = await answer(deps, request, left.signal);
    const text = `${JSON.stringify(body)}\n`;
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      // The answer may come before the whole body has: closing the connection drops the rest.
      connection: 'close',
    });
    response.end(text);
  });
  const deadlines = new WeakMap<Socket, NodeJS.Timeout>();
  return (socket) => {
    if (connections.size >= operatorLimits.connections) return void socket.destroy();
    connections.set(socket, { isAsked: false });
    const late = setTimeout(() => socket.destroy(), operatorLimits.request);
    deadlines.set(socket, late);
    socket.once('close', () => {
      clearTimeout(late);
      connections.delete(socket);
    });
    server.emit('connection', socket);
    socket.resume();
  };
}

/** Operations under way are answered, unless they take long: those are cut short. */
async function finish({ connections, looks, changes }: ServingDeps, stopped: AbortController): Promise<void> {
  const closed = [...connections].map(([socket, { isAsked }]) => {
    if (!isAsked) socket.destroy();
    return new Promise((resolve) => socket.once('close', resolve));
  });
  const late = setTimeout(() => {
    for (const socket of connections.keys()) socket.destroy();
    stopped.abort();
  }, operatorLimits.stop);
  await Promise.all(closed);
  await Promise.allSettled([...looks, ...changes]);
  clearTimeout(late);
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const STATUSES: Readonly<Record<RefusalReason, number>> = {
  'wrong-call': 400,
  refused: 409,
  unusable: 500,
  unreachable: 503,
  unauthorized: 401,
};

function refuse(refusal: AdminRefusal, status = STATUSES[refusal.reason]): Answer {
  return { status, body: { error: refusal } };
}

/** Never throws. */
async function answer(deps: ServingDeps, request: IncomingMessage, left: AbortSignal): Promise<Answer> {
  const { method, url = '' } = request;
  // Of a connection that has closed it is not known any more.
  const address = request.socket.remoteAddress ?? '';
  if (method === 'GET' && url === '/') return { status: 200, body: { deployment: deps.judge.deployment } };
  const [, name = ''] = /^\/operations\/([a-z-]{1,50})$/.exec(url) ?? [];
  if (method !== 'POST' || !isOperation(name))
    return refuse({ reason: 'wrong-call', detail: 'There is no such operation.' }, 404);
  try {
    return { status: 200, body: { result: await perform(deps, name, request, left) } };
  } catch (error) {
    if (error instanceof Unauthorized) return refuseStranger(deps, error, address);
    const refusal = refusalOf(error);
    if (refusal !== undefined) return refuse(refusal);
    deps.logger.error({ err: error, operation: name }, 'an operation of an operator has failed');
    return refuse({ reason: 'unusable', detail: 'The operation has failed: the log of the server says why.' });
  }
}

/** Whoever holds a key is never locked out: only those are counted, and refused, who hold none. */
function refuseStranger(
  { failures, logger }: ServingDeps,
  { why, message, advice }: Unauthorized,
  address: string,
): Answer {
  const refusal: AdminRefusal = {
    reason: 'unauthorized',
    detail: message,
    ...(advice === undefined ? {} : { advice }),
  };
  // Each reason is counted apart: what anybody can send hides no line about an operator's key.
  const kind = STRANGERS.has(why) ? 'stranger' : why;
  const names = [`${kind} ${senderOf(address)}`, kind] as const;
  if (failures.some((counts, at) => counts.wait(names[at]!) > 0)) return refuse(refusal, 429);
  for (const [at, counts] of failures.entries()) counts.add(names[at]!);
  logger.warn({ address, why }, 'a request for operators was refused');
  return refuse(refusal);
}

/** Reasons that say nothing of an operator's key. */
const STRANGERS: ReadonlySet<string> = new Set(['no-token', 'unknown-key']);

/**
 * @param left whether the operator still waits for the answer: a look is cut short without, a change is done to its end
 *
 * @throws Unauthorized; what `refusalOf` knows
 */
async function perform(
  deps: ServingDeps,
  name: AdminOperationName,
  request: IncomingMessage,
  left: AbortSignal,
): Promise<unknown> {
  const { authorization } = request.headers;
  const token = verifyOperatorToken(authorization, deps.judge);
  const input = parseInput(await readBody(request));
  const [url = '', ...aliases] = deps.urls.map((one) => `${one}/operations/${name}`);
  const bound = { method: 'POST', url, aliases, headers: request.headers, body: input };
  await useOperatorToken(token, bound, deps.judge);
  const { operator } = token;
  const call = prepareCall(name, input);
  call.assertTakenAfar();
  const [underWay, most] = call.changes ? [deps.changes, operatorLimits.changes] : [deps.looks, operatorLimits.looks];
  if (underWay.size >= most) throw new AdminRefused('Too many operations are under way.');
  const who = { operator: operator.name, key: operator.public, operation: name, input };
  if (call.changes) deps.logger.warn(who, 'an operator changes the deployment');
  else deps.logger.info(who, 'an operator looks at the deployment');
  const signal = call.changes ? new AbortController().signal : left;
  const { config, judge } = deps;
  const running = call.run({
    onDatabase: (work) => deps.onDatabase(signal, work),
    readConfig: () => config,
    now: judge.now,
    longestRead: operatorLimits.read,
  });
  underWay.add(running);
  try {
    return await running;
  } catch (error) {
    if (call.changes)
      deps.logger.warn({ ...who, err: error }, 'what an operator asked for has failed, perhaps half-way');
    throw error;
  } finally {
    underWay.delete(running);
  }
}

/** @throws WrongCall for one that is too long, or ends early */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > operatorLimits.body) break;
      chunks.push(chunk);
    }
  } catch {
    throw new WrongCall('The request has ended early.');
  }
  if (length > operatorLimits.body) throw new WrongCall(`The input is longer than ${operatorLimits.body} bytes.`);
  return Buffer.concat(chunks).toString();
}

/** @throws WrongCall */
function parseInput(text: string): Json {
  try {
    const input = parseJson(text, jsonLimits);
    if (isObject(input)) return input;
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
  }
  throw new WrongCall('The input is a JSON object.');
}
