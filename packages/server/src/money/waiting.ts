import { type RecordEnvelope, readJson } from '@countersign/protocol';
import type { NewIntent } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import { stepsOfText } from '../metering/task.js';
import type { WriteOutcome } from '../store/committer/write.js';
import type { OpenIntents, StoredOpenIntent } from '../store/money/open-intents.js';
import { findGivenUp } from './bridges.js';
import { Intent, type IntentEvent } from './intent.js';
import { type OpenState, parseOpen } from './open-state.js';
import type { Directory } from './plan/directory.js';
import { planForwards, planIntent } from './plan/plan-intent.js';
import { eventsIn } from './reports.js';

/** A new intent, or a thread under way, that waits for its decision. */
export interface Waiting {
  readonly session: Session;
  readonly luid: string;
  /** Names what two must not decide on in one batch: a handle that is to be taken, or a thread. */
  readonly key: string;
  /** Whether its request goes to the leader of the ledger where that is another process, instead of being stored for it. */
  readonly goesToLeader: boolean;
  /** A new intent, as it is stored for another process to decide on; undefined for a thread, which stays due. */
  readonly accepted?: () => Intent;
  /** Reads and plans the intents that are decided on. @throws OutOfDate, and what resolution throws */
  readonly plan: (directory: Directory) => Promise<readonly Intent[]>;
  /** What was planned last. */
  intents: readonly Intent[];
  /** How often its batch was not stored, for a reason that lies in another intent. */
  tries: number;
  resolve(outcome: WriteOutcome): void;
  reject(error: unknown): void;
}

/** What is asked of a sequencer. */
export type DecisionRequest = Omit<Waiting, 'intents' | 'tries' | 'resolve' | 'reject'>;

/** A new intent of a client. @param goesToLeader whether its request may go to another process */
export function askNew({ session, record, write, isForwarded }: NewIntent, goesToLeader: boolean): DecisionRequest {
  return {
    session,
    luid: record.luid,
    key: `handle ${String(record.data.handle)}`,
    goesToLeader: goesToLeader && !isForwarded,
    accepted: () => new Intent(session, record, { write }),
    plan: async (directory) => {
      const planned = await planIntent(session, directory, record);
      return [new Intent(session, record, { write, planned })];
    },
  };
}

/** An intent under way, to which something has happened; with it the others of its thread. */
export function askOpen(session: Session, openIntents: OpenIntents, due: StoredOpenIntent): DecisionRequest {
  return {
    session,
    luid: due.luid,
    key: `thread ${due.thread}`,
    goesToLeader: false,
    plan: async (directory) => {
      const rows = await openIntents.thread(session.ledger.id, due.thread);
      return Promise.all(rows.map((row) => loadWaiting(session, directory, openIntents, row)));
    },
  };
}

/**
 * Checks that the client still waits. From here on it is decided on whether the client waits or not: the decisions that
 * follow rest on it. @throws what says that the client has gone, or that its time is over
 */
export function assertWanted({ session }: Waiting): void {
  const gone = session.task.abandonment();
  if (gone) throw gone;
  session.task.mustFinish();
}

/** @throws Error when the ledger has no such intent, or not what it stored of it */
async function loadWaiting(
  session: Session,
  directory: Directory,
  openIntents: OpenIntents,
  row: StoredOpenIntent,
): Promise<Intent> {
  const version = await session.findVersion('intent', row.luid, 'luid');
  if (!version) throw new Error(`There is no intent ${row.luid}, which is under way.`);
  // Charged before it is read: all of a thread are read at once, and each may be of a megabyte.
  await session.task.turn(stepsOfText(version.body) + stepsOfText(row.state));
  const record = readJson(version.body) as RecordEnvelope;
  const { state, seen, day } = assertUndecided(session, record, version.change, parseOpen(session, row));
  const planned = state.stage === 'accepted' ? await planIntent(session, directory, record) : undefined;
  const isAsked = state.stage === 'debits' || state.stage === 'credits';
  const forwards = isAsked ? await planForwards(session, directory, record.data, state.plan!) : planned?.forwards;
  const now = session.runtime.now();
  // What was reported in time counts, however late it is looked at.
  const events: IntentEvent[] = [
    ...eventsIn(record, seen, session.ledger),
    ...(await findGivenUp(session, openIntents, state)),
    ...(row.deadline && row.deadline.getTime() <= now ? [{ type: 'expired' } as const] : []),
  ];
  return new Intent(session, record, { open: { row, change: version.change, state, day }, events, planned, forwards });
}

/**
 * The state of an intent knows of all that the ledger has said of it: an earlier state that was put back in the database
 * would have it settle a second time. @throws Corrupt
 */
function assertUndecided(
  { ledger, integrity }: Session,
  record: RecordEnvelope,
  change: number,
  kept: OpenState,
): OpenState {
  const own = [ledger.system.public, ledger.core.public];
  if (!record.meta.proofs.slice(kept.seen).some((proof) => own.includes(proof.public))) return kept;
  return integrity.refuse({ ledger: ledger.luid, luid: record.luid, change }, 'is not what the index says');
}
