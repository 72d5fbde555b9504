import { formatVkey } from '@countersign/protocol/log';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openSession, type Session } from '../../ledgers/session.js';
import { checkpointKey } from '../../log/checkpoint.js';
import { leavesFor, type ServedTile } from '../../log/tiles.js';
import { currentWith } from '../../operations/log/current-with.js';
import type { Answer } from '../../records/command.js';
import { answerRequest, errorAnswer, makeErrorReport, sendAnswer } from '../boundary.js';
import type { HttpService } from '../http-service.js';
import { serviceFor, taskOf } from '../perform.js';
import { etagOf, knows } from '../static/sendable.js';
import { type Admit, asNoRoute, createAdmit, isNoRoute, noRoute } from './access.js';
import { type AskedOfLog, type LogAddress, parseLogAddress } from './address.js';

/** A part of a log as it is sent. */
interface LogPart {
  readonly body: string | Uint8Array;
  readonly etag: string;
  readonly type: string;
  /** How long it may be kept. */
  readonly age: string;
}

/** Serves logs to clients of C2SP tlog-tiles, who send neither `x-ledger` nor bodies (interface/log#routes). */
export function logRoutes(app: FastifyInstance, service: HttpService): void {
  const admit = createAdmit(() => performance.now());
  app.get('/log/*', (request, reply) => serveLog(service, admit, request, reply));
}

async function serveLog(
  service: HttpService,
  admit: Admit,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const address = parseLogAddress(request.url);
  const found: { part?: LogPart; isPublic?: boolean } = {};
  const answer = await answerRequest(
    service,
    async () => {
      if (!address) throw noRoute();
      return service.ledgers.resolve(address.ledger).catch(asNoRoute);
    },
    async (ledger, isLate): Promise<Answer> => {
      const task = taskOf(service, ledger!.id, request, isLate);
      const session = openSession(serviceFor(service, task, request), ledger!);
      try {
        found.isPublic = await admit(session, request);
        await task.turn();
        found.part = await loadLogPart(session, address!);
        return { status: 200 };
      } catch (error) {
        // A closed log is answered like that of an unknown ledger, so that the answer does not tell whether the ledger exists.
        if (isNoRoute(error)) return errorAnswer(service, undefined, noRoute());
        throw error;
      }
    },
    makeErrorReport(service, request),
    request.facts,
  );
  const { part, isPublic } = found;
  if (!part || answer.status !== 200) return sendAnswer(reply, answer);
  const { body, etag, type, age } = part;
  reply.headers({ etag, 'cache-control': `${isPublic ? 'public' : 'private'}, ${age}`, 'content-type': type });
  reply.header('x-content-type-options', 'nosniff');
  return knows(request, etag) ? reply.code(304).send() : reply.code(200).send(body);
}

/** @throws `api.route-not-found` for what the tree that is shown does not have; LogStopped */
async function loadLogPart(session: Session, { generation, asked }: LogAddress): Promise<LogPart> {
  const { ledger, logs } = session;
  const shown = await currentWith(session, leavesNeeded(asked));
  if (!shown || shown.generation !== generation) throw noRoute();
  switch (asked.what) {
    case 'checkpoint':
      return asText(shown.note, 'max-age=1');
    case 'vkeys':
      return asText(`${formatVkey(checkpointKey(shown.origin, ledger.system))}\n`, 'max-age=60');
    case 'tile':
      return asTile(await logs.tile(ledger.id, shown, asked.tile));
    case 'entries':
      return asTile(await logs.entries(ledger.id, shown, asked.tile));
  }
}

/** Leaves that the tree must have. */
function leavesNeeded(asked: AskedOfLog): number {
  return 'tile' in asked ? leavesFor({ level: 0, ...asked.tile }) : 0;
}

function asText(body: string, age: string): LogPart {
  return { body, etag: etagOf(body), type: 'text/plain; charset=utf-8', age };
}

function asTile(tile: ServedTile | undefined): LogPart {
  if (!tile) throw noRoute();
  const body = Buffer.from(tile.bytes.buffer, tile.bytes.byteOffset, tile.bytes.length);
  return { body, etag: tile.etag, type: 'application/octet-stream', age: 'max-age=31536000, immutable' };
}
