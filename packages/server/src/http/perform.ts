import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeDecision } from '../access/explain.js';
import { stages } from '../forwarding/stage.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { inSession, openSession, type Session } from '../ledgers/session.js';
import { LedgerSuspended } from '../ledgers/suspension.js';
import type { LedgerTask } from '../metering/task.js';
import type { Operation } from '../operations/operation.js';
import type { Answer, Command } from '../records/command.js';
import { bodyLimits } from './bodies/body-limits.js';
import { grantBody, releaseBody } from './bodies/bounds.js';
import { answerRequest, makeErrorReport, sendAnswer } from './boundary.js';
import { makeCommand, type Received } from './command.js';
import type { HttpService } from './http-service.js';
import { journalAnswer } from './journal.js';
import { holdUntilSealed } from './log/hold.js';
import { createIntent } from './relay/create-intent.js';
import { senderOf } from './sender.js';
import { noTenant, resolveLedger, tenantHeader, tenantOf } from './tenant.js';

/**
 * Performs an operation in a session on the ledger that the request names, and answers with its outcome. Every error
 * becomes an answer (`answerRequest`).
 */
export async function inLedger(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  perform: (session: Session) => Promise<Answer>,
): Promise<FastifyReply> {
  let of = OUTSIDE;
  const resolve = () => resolveLedger(service, tenantOf(request));
  const answer = await answerRequest(
    service,
    resolve,
    async (ledger, isLate) => {
      of = ledger!.id;
      await refuseSuspended(service, ledger!);
      return perform(sessionOf(service, ledger!, request, isLate, () => grantBody(request)));
    },
    makeErrorReport(service, request),
    request.facts,
  );
  releaseBody(request);
  if (request.headers.prefer !== undefined) await holdUntilSealed(service, request, reply, of, answer);
  sendAnswer(reply, answer);
  journalAnswer(service, request, reply, answer);
  return reply;
}

/**
 * Refuses whatever names a ledger of which an operator has stopped the reads as well, before any work on it. A state that is out of date
 * decides nothing: the operation is then decided on a newer one.
 *
 * @throws auth.forbidden
 */
async function refuseSuspended({ store }: HttpService, { id, version, suspension }: Ledger): Promise<void> {
  if (suspension?.level !== 'all') return;
  if ((await store.ledgers.version(id)) === version) throw new LedgerSuspended(suspension);
}

/** Performs an operation outside every ledger; refuses a request that names one. Every error becomes an answer. */
export async function outsideLedgers(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  perform: (service: Service, command: Command) => Promise<Answer>,
): Promise<FastifyReply> {
  const named = tenantHeader(request);
  const answer = await answerRequest(
    service,
    async () => (named === undefined ? undefined : resolveLedger(service, named)),
    async (_, isLate) => {
      noTenant(named);
      const task = senderTaskOf(service, OUTSIDE, request, isLate, () => grantBody(request));
      const own = serviceFor(service, task, request);
      return perform(own, await makeCommand(own, undefined, request));
    },
    makeErrorReport(service, request),
    request.facts,
  );
  releaseBody(request);
  return sendAnswer(reply, answer);
}

/**
 * The session in which a request is answered.
 *
 * @param granted called when the caller of a large body is known to be allowed; what it throws refuses the request
 */
export function sessionOf(
  service: HttpService,
  ledger: Ledger,
  request: Received,
  isLate: () => boolean,
  granted: () => void,
): Session {
  const task = isLarge(request)
    ? senderTaskOf(service, ledger.id, request, isLate, granted)
    : taskOf(service, ledger.id, request, isLate);
  return openSession(serviceFor(service, task, request), ledger);
}

/** The service as one request uses it. At log level `debug` or `trace` it logs each decision on access with the id of the request. */
export function serviceFor(service: HttpService, task: LedgerTask, { facts, log }: Received): Service {
  const own = { ...service, task, facts };
  if (log.level !== 'debug' && log.level !== 'trace') return own;
  return { ...own, explain: (explanation) => log.debug(explanation, describeDecision(explanation)) };
}

/** Performs an operation on records of the kind, in a session on the ledger that the request names. */
export function performOperation(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
  { perform, assertServed }: Operation,
  kind: Kind,
): Promise<FastifyReply> {
  return inLedger(service, request, reply, async (session) => {
    if (assertServed) await inSession(session, async (session) => assertServed(session));
    return perform(session, kind, await makeCommand(session, session.ledger, request), stages);
  });
}

/** Creates an intent in the ledger that the request names: by the process that is its leader. */
export function performIntent(
  service: HttpService,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return inLedger(service, request, reply, (session) => createIntent(service, session, request));
}

/** The id that work outside every ledger is charged to. */
const OUTSIDE = 0;

/**
 * Whether the body costs so much that whoever sent it is charged until the caller is known to be allowed: else a stranger could
 * make the ledger that it names wait, by bodies that are refused.
 */
function isLarge({ body }: Received): boolean {
  return typeof body === 'string' && body.length > bodyLimits.small;
}

function senderTaskOf(
  { scheduler }: HttpService,
  ledger: number,
  { ip, raw }: Received,
  isLate: () => boolean,
  granted: () => void,
): LedgerTask {
  const isOver = () => isLate() || raw.socket.destroyed;
  return scheduler.senderTask(senderOf(ip), ledger, isOver, granted);
}

/** The work of a request: abandoned once the request is answered or its connection closed. */
export function taskOf(service: HttpService, ledger: number, { raw }: Received, isLate: () => boolean): LedgerTask {
  return service.scheduler.task(ledger, () => isLate() || raw.socket.destroyed);
}
