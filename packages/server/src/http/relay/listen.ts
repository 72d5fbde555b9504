import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { RequestFacts } from '../../ledgers/request-facts.js';
import { Elsewhere } from '../../money/leader.js';
import type { Answer } from '../../records/command.js';
import type { Replays } from '../../store/queries/replays.js';
import { isUnavailable } from '../../store/unavailable.js';
import { WritesRefused } from '../../store/writes-refused.js';
import { answerRequest, makeErrorReport } from '../boundary.js';
import { BASE, type Received } from '../command.js';
import type { HttpService } from '../http-service.js';
import { sessionOf } from '../perform.js';
import { requestLimits } from '../request-limits.js';
import { senderOf } from '../sender.js';
import { createIntentHere } from './create-intent.js';
import { type HeldBody, HeldBytes } from './held-bytes.js';
import {
  type AnswerHead,
  HEAD_HEADER,
  HEADER_BYTES,
  MISDIRECTED,
  OUT_OF_MEMORY,
  parseRequestHead,
  type RequestHead,
} from './messages.js';
import { socketPath } from './socket-path.js';

/**
 * Takes requests for new intents that came to other processes of this machine, where this one is the leader of the ledger.
 * They are answered and metered like its own. What a process says of a request is trusted: whoever can open the socket is of
 * the same deployment.
 *
 * @param folder in which the sockets are; without one it takes none
 * @param holder name of this process
 * @returns takes no more, and answers those that it has taken
 */
export async function listenToSiblings(
  service: HttpService,
  logger: FastifyBaseLogger,
  folder: string | undefined,
  holder: string,
): Promise<() => Promise<void>> {
  const path = folder === undefined ? undefined : socketPath(folder, holder);
  if (path === undefined) return doNothing;
  const held = new HeldBytes();
  const underWay = new Set<Promise<void>>();
  let isClosed = false;
  const take = (request: IncomingMessage, response: ServerResponse) => {
    // A ping. A process that is cut off from the database does not answer it, so that those that wait for one of its answers
    // wait no longer.
    if (request.method === 'HEAD')
      return void (service.readiness.isReady() ? response.end() : request.socket.destroy());
    const taken = answerSibling(service, logger, isClosed ? undefined : held, request, response)
      .catch((err) => {
        logger.error({ err }, 'a process of this machine was not understood');
        request.socket.destroy();
      })
      .finally(() => underWay.delete(taken));
    underWay.add(taken);
  };
  const server = createServer({ maxHeaderSize: HEADER_BYTES, requestTimeout: requestLimits.arrival }, take);
  // Idle connections are left to the other side to close: a request may be on its way on one.
  server.keepAliveTimeout = 0;
  try {
    await listenAtPath(server, path);
    return async () => {
      isClosed = true;
      // Connections that are idle stay open: a request may be on its way on one.
      TcpServer.prototype.close.call(server);
      while (underWay.size > 0) await Promise.all(underWay);
      server.closeAllConnections();
      // Stops the timer that checks its connections.
      server.close();
    };
  } catch (err) {
    server.close();
    logger.warn({ err }, 'intents cannot be handed to this process');
    return doNothing;
  }
}

const doNothing = async () => {};

/** @param held absent where no more are taken */
async function answerSibling(
  service: HttpService,
  logger: FastifyBaseLogger,
  held: HeldBytes | undefined,
  raw: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const head = parseRequestHead(raw.headers[HEAD_HEADER]);
  const decline = (status: number) => writeAnswer(response.setHeader('connection', 'close'), { status });
  // The request was not read: the process that it came to decides on it.
  if (!held) return decline(MISDIRECTED);
  const kept = held.take(`sender ${senderOf(head.ip)}`, Number(raw.headers['content-length'] ?? 0));
  if (!kept) return decline(OUT_OF_MEMORY);
  try {
    const body = await readRequestText(raw);
    const request = toReceived(head, body ?? '', raw, logger.child({ reqId: head.id }));
    const answered = body === undefined ? undefined : await decide(service, request, head, response, kept);
    if (answered) await writeAnswer(response, answered, request.facts);
    else raw.socket.destroy();
  } finally {
    kept.giveBack();
  }
}

function toReceived(
  { id, url, headers, ip }: RequestHead,
  body: string,
  raw: IncomingMessage,
  log: FastifyBaseLogger,
): Received {
  const routeOptions = { url: `${BASE}/intents` } as FastifyRequest['routeOptions'];
  return {
    id,
    facts: {},
    method: 'POST',
    url,
    headers,
    ip,
    params: {},
    ...(body === '' ? { body: undefined } : { body }),
    raw,
    log,
    routeOptions,
  };
}

/** @returns undefined where the outcome is unknown, since this process cannot reach the database */
async function decide(
  service: HttpService,
  request: Received,
  { ledger: luid, luid: intent, hasUsedToken }: RequestHead,
  response: ServerResponse,
  kept: HeldBody,
): Promise<Answer | undefined> {
  const report = makeErrorReport(service, request);
  let instead: { readonly answer: Answer | undefined } | undefined;
  /** Notes what the other process is told in place of an error. */
  const noting = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Elsewhere) instead = { answer: { status: MISDIRECTED } };
      // Where no write is taken, nothing was stored.
      else if (isUnavailable(error) && !(error instanceof WritesRefused)) instead = { answer: undefined };
      throw error;
    }
  };
  const own = hasUsedToken ? { ...service, replays: USED } : service;
  const answered = await answerRequest(
    service,
    () => noting(service.ledgers.resolve(luid)),
    (ledger, isLate) => {
      const session = sessionOf(own, ledger!, request, isLate, () => {
        kept.move(`ledger ${luid}`);
        sayGranted(response);
      });
      return noting(createIntentHere(session, request, intent));
    },
    (error, ledger) => {
      if (!instead) report(error, ledger);
    },
    request.facts,
  );
  return instead ? instead.answer : answered;
}

/** Says that the caller is allowed, unless the request has been answered meanwhile. */
function sayGranted(response: ServerResponse): void {
  if (!response.headersSent) response.writeProcessing();
}

/** For a token that the process which the request came to has used up already. */
const USED: Replays = { use: () => true };

/** The body of a request; undefined when it has ended before. */
function readRequestText(raw: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    raw.on('data', (chunk: Buffer) => chunks.push(chunk));
    raw.once('end', () => resolve(Buffer.concat(chunks).toString()));
    for (const end of ['error', 'close']) raw.once(end, () => resolve(undefined));
  });
}

/** Resolves when it is sent, or nobody takes it any more. */
async function writeAnswer(
  response: ServerResponse,
  { status, body = '', ...answer }: Answer,
  facts?: RequestFacts,
): Promise<void> {
  if (response.closed) return;
  response.sendDate = false;
  const head: AnswerHead = { ...answer, facts };
  response.writeHead(status, { [HEAD_HEADER]: JSON.stringify(head), 'content-length': Buffer.byteLength(body) });
  await new Promise((resolve) => {
    response.once('close', resolve).end(body);
  });
}

/** Connections that may wait to be taken: those of all siblings at once, since a full queue refuses them. */
const BACKLOG = 4_096;

/** At the path, and for no other user. */
function listenAtPath(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // In a worker of `node:cluster` the primary would listen otherwise.
    server.listen({ path, exclusive: true, backlog: BACKLOG }, () => {
      server.off('error', reject);
      // The socket does not keep the process alive.
      server.unref();
      chmod(path, 0o600).then(resolve, reject);
    });
  });
}
