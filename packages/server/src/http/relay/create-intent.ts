import { type RecordEnvelope, readJson } from '@countersign/protocol';
import { mayBeUsedUp } from '../../auth/token.js';
import { stages } from '../../forwarding/stage.js';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import { INTENT_KIND } from '../../money/intent.js';
import { Elsewhere } from '../../money/leader.js';
import { createRecord } from '../../operations/create/create.js';
import { hintOnRules, hintWithin } from '../../operations/hints.js';
import type { Operation } from '../../operations/operation.js';
import type { Answer, Command } from '../../records/command.js';
import { newLuid } from '../../records/version.js';
import { NoMemory } from '../bodies/memory.js';
import { makeCommand, type Received } from '../command.js';
import type { HttpService } from '../http-service.js';

/** Whether the operation creates an intent. */
export function createsIntent(operation: Operation, kind: Kind): boolean {
  return operation === createRecord && kind === INTENT_KIND;
}

/** Creates an intent with that luid, decided on by this process. @throws what an operation does; Elsewhere */
export async function createIntentHere(session: Session, request: Received, luid: string): Promise<Answer> {
  return create(session, await makeCommand(session, session.ledger, request), luid);
}

/**
 * Creates an intent. Where another process is the leader of its ledger, the request is sent to that one as it came, and its
 * answer is passed back. Where that fails, this process decides on it, or stores it for the leader to find.
 */
export async function createIntent(
  { engine, siblings }: HttpService,
  session: Session,
  request: Received,
): Promise<Answer> {
  const { ledger, task } = session;
  // Read first: a socket that is closed has no address.
  const { id, url, headers, ip, body, raw } = request;
  const luid = newLuid(session, INTENT_KIND);
  let read: Command | undefined;
  const command = async () => {
    read ??= await makeCommand(session, ledger, request);
    return read;
  };
  await task.turn();
  const { authorization } = headers;
  // This process uses up a single-use token, so that it can go on if the leader is lost.
  if (authorization !== undefined && mayBeUsedUp(authorization)) await command();
  const leader = engine.leaderOf(ledger.id) ?? (await findLeader(async () => create(session, await command(), luid)));
  if (typeof leader !== 'string') return leader;

  assertWaitedFor(task);
  const head = { id, ledger: ledger.luid, luid, url, headers, ip, hasUsedToken: read !== undefined };
  const outcome = await siblings.ask(leader, ledger.id, {
    head,
    body: typeof body === 'string' ? body : undefined,
    granted: () => grantIfRoom(task),
    whenGone(leave) {
      raw.socket.once('close', leave);
      return () => void raw.socket.off('close', leave);
    },
  });
  if (typeof outcome !== 'string') {
    const { facts, ...answer } = outcome;
    if (request.facts) Object.assign(request.facts, facts);
    return answer;
  }

  if (outcome === 'misdirected') engine.forgetLeader(ledger.id);
  assertWaitedFor(task);
  task.beginAnew();
  const keep = async () => create({ ...session, settle: engine.keep }, await command(), luid);
  return outcome === 'unknown' ? unlessStored(session, luid, keep) : keep();
}

/** @throws the error for a client that has gone */
function assertWaitedFor(task: Session['task']): void {
  const gone = task.abandonment();
  if (gone) throw gone;
}

/**
 * Counts the body for the ledger. Where that has no room the body stays counted for its sender, and is not refused: the leader
 * may have stored the intent.
 */
function grantIfRoom(task: Session['task']): void {
  try {
    task.grant();
  } catch (error) {
    if (!(error instanceof NoMemory)) throw error;
  }
}

function create(session: Session, command: Command, luid: string): Promise<Answer> {
  return createRecord.perform(session, INTENT_KIND, { ...command, luid }, stages);
}

/** @returns the answer, or the process that is the leader */
async function findLeader(decide: () => Promise<Answer>): Promise<Answer | string> {
  try {
    return await decide();
  } catch (error) {
    if (error instanceof Elsewhere) return error.holder;
    throw error;
  }
}

/**
 * Creates an intent whose outcome at the leader is unknown: the leader may have stored it, or may still do so. Both processes
 * store it under the same luid and handle, so the database takes only the first. If the leader's is found stored, that is
 * answered as a success.
 */
async function unlessStored(session: Session, luid: string, keep: () => Promise<Answer>): Promise<Answer> {
  let refusal: Answer | undefined;
  let failure: unknown;
  try {
    const answer = await keep();
    if (answer.status === CREATED) return answer;
    refusal = answer;
  } catch (error) {
    failure = error;
  }
  const stored = await findStored(session, luid).catch(() => undefined);
  if (stored) return stored;
  if (refusal) return refusal;
  throw failure;
}

const CREATED = 201;

async function findStored({ ledger, store, task }: Session, luid: string): Promise<Answer | undefined> {
  const { change } = await store.history.one({ ledger: ledger.id, kind: INTENT_KIND.name, luid }, 1);
  if (!change) return undefined;
  const { data } = readJson(change.body) as RecordEnvelope;
  const told = hintWithin(() => hintOnRules(ledger, data, task));
  return { status: CREATED, body: change.body, change: { luid, number: 1 }, ...told };
}
