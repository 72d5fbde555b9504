import { type RecordEnvelope, readJson } from '@countersign/protocol';
import type { NewIntent } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import { stepsOfText } from '../metering/task.js';
import type { Place } from '../store/money/books.js';
import type { OpenIntents, StoredOpenIntent } from '../store/money/open-intents.js';
import type { Batch } from './batch.js';
import { findGivenUp } from './calls/given-up.js';
import { eventsIn } from './calls/reports.js';
import type { IntentEvent } from './model.js';
import type { OpenIntent } from './open-intent.js';
import { type OpenState, parseOpen } from './open-state.js';
import { placesOf, prepareForwards, prepareIntent } from './prepare.js';
import type { Directory } from './resolution/directory.js';

/** An intent that a settler is to decide on. */
export interface Item {
  readonly session: Session;
  readonly luid: string;
  /** Names what two items must not decide on in one batch: a handle that is to be taken, or a thread. */
  readonly key: string;
  /** Of a new intent: what its create has decided. */
  readonly created?: NewIntent;
  /** Whether its request goes to the home of the ledger where that is another process, instead of being stored for it. */
  readonly goesHome: boolean;
  /** Reads what a decision takes. @throws OutOfDate, and what resolution throws */
  prepare(directory: Directory): Promise<Ready>;
  /** Stores it for another process to decide on. */
  accept(batch: Batch): Promise<void>;
}

/** An item with all that a decision takes, but for balances. */
export interface Ready {
  /** The balances that it may read. */
  readonly places: readonly Place[];
  decide(batch: Batch): Promise<void>;
}

/** A new intent of a client. @param goesHome whether its request may go to another process */
export function newItem(intent: NewIntent, goesHome: boolean): Item {
  const { session, record } = intent;
  return {
    session,
    luid: record.luid,
    key: `handle ${String(record.data.handle)}`,
    created: intent,
    goesHome: goesHome && !intent.isForwarded,
    async prepare(directory) {
      const prepared = await prepareIntent({ session, directory }, record);
      return { places: placesOf(prepared), decide: (batch) => batch.create({ ...intent, prepared }) };
    },
    accept: (batch) => batch.accept(intent),
  };
}

/** An intent under way, to which something has happened; with it the others of its thread. */
export function openItem(session: Session, openIntents: OpenIntents, due: StoredOpenIntent): Item {
  return {
    session,
    luid: due.luid,
    key: `thread ${due.thread}`,
    goesHome: false,
    async prepare(directory) {
      const rows = await openIntents.thread(session.ledger.id, due.thread);
      const thread = await Promise.all(rows.map((row) => load(session, directory, openIntents, row)));
      return { places: thread.flatMap(placesOfOpen), decide: (batch) => batch.advance(session, thread) };
    },
    async accept() {
      // It stays due: the ledger's home sees to it.
    },
  };
}

/** @throws Error when the ledger has no such intent, or not what it stored of it */
async function load(
  session: Session,
  directory: Directory,
  openIntents: OpenIntents,
  row: StoredOpenIntent,
): Promise<OpenIntent> {
  const version = await session.findVersion('intent', row.luid, 'luid');
  if (!version) throw new Error(`There is no intent ${row.luid}, which is under way.`);
  await session.task.turn(stepsOfText(version.body) + stepsOfText(row.state));
  const record = readJson(version.body) as RecordEnvelope;
  const kept = parseOpen(session, row);
  assertUndecided(session, record, version.change, kept);
  const prepared = kept.state.stage === 'accepted' ? await prepareIntent({ session, directory }, record) : undefined;
  const { plan, stage } = kept.state;
  const isAsked = stage === 'debits' || stage === 'credits';
  const forwards = plan && isAsked ? await prepareForwards({ session, directory }, record.data, plan) : [];
  const now = session.runtime.now();
  // What was reported in time counts, however late it is looked at.
  const events: IntentEvent[] = [
    ...eventsIn(record, kept.seen, session.ledger),
    ...(await findGivenUp(session, openIntents, kept.state)),
    ...(row.deadline && row.deadline.getTime() <= now ? [{ type: 'expired' } as const] : []),
  ];
  return { row, kept, record, change: version.change, forwards, events, ...(prepared ? { prepared } : {}) };
}

function placesOfOpen({ kept, forwards, prepared }: OpenIntent): Place[] {
  const { plan } = kept.state;
  const own = plan ? [...plan.entries, ...plan.limits].map(({ luid, symbol }) => ({ wallet: luid, symbol })) : [];
  const sent = forwards.flatMap((one) => placesOf(one.prepared));
  return [...own, ...sent, ...(prepared ? placesOf(prepared) : [])];
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
): void {
  const own = [ledger.system.public, ledger.core.public];
  if (!record.meta.proofs.slice(kept.seen).some((proof) => own.includes(proof.public))) return;
  integrity.refuse({ ledger: ledger.luid, luid: record.luid, change }, 'is not what the index says');
}
