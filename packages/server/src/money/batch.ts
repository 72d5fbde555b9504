import { luid as makeLuid, type RecordEnvelope } from '@countersign/protocol';
import type { Occurrence } from '../events/occurrence.js';
import { creationOf } from '../events/occurrence.js';
import { raiseEvents } from '../events/raise.js';
import { kindNamed } from '../kinds/registry.js';
import type { NewIntent } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import type { OpenIntentWrite, Settlement } from '../store/committer/settlement.js';
import type { Need, NewDelivery, Write } from '../store/committer/write.js';
import type { Books } from './accounts/books.js';
import { queueCalls } from './calls/queue-calls.js';
import { Draft } from './draft.js';
import type { Member } from './member.js';
import type { IntentState } from './model.js';
import { occurrencesOf } from './occurrences.js';
import type { OpenIntent } from './open-intent.js';
import { formatOpen } from './open-state.js';
import { neededBy, type Prepared, type PreparedForward } from './prepare.js';
import { ACCEPTED } from './steps/step.js';
import { Thread } from './thread.js';

const KIND = kindNamed('intent');

/** Steps that a proof takes to be made (`limits.work`). */
const PROOF_STEPS = 250;

/** A new intent with what was found for it. */
export interface PreparedIntent extends NewIntent {
  readonly prepared: Prepared;
}

/** What decisions have left intents in: final, or waiting for something. */
export type Outcomes = Readonly<Record<'completed' | 'rejected' | 'waiting', number>>;

/** The decisions on several intents, in order, which are stored together. */
export class Batch {
  readonly #needs = new Map<string, Need>();
  readonly #writes: Write[] = [];
  readonly #opened: OpenIntentWrite[] = [];
  readonly #closed: string[] = [];
  readonly #outcomes = { completed: 0, rejected: 0, waiting: 0 };
  readonly #calls: NewDelivery[] = [];

  /** Of the next decisions, ISO 8601. */
  moment = '';

  constructor(private readonly books: Books) {}

  /** Decides on a new intent. @throws what makes a version or its events refused */
  async create(pending: PreparedIntent): Promise<void> {
    const { session, record, write, prepared } = pending;
    const draft = new Draft(session.ledger, record, 0);
    const thread = this.#thread(session, record);
    const first = thread.add(draft, ACCEPTED, prepared);
    thread.resolve(first);
    for (const need of neededBy(prepared)) this.#needs.set(need.luid, need);
    for (const need of write.needs) this.#needs.set(`${need.kind} ${need.handle}`, need);
    for (const member of thread.members) await this.#keep(session, member, member === first ? write : undefined);
  }

  /** Decides on the intents of a thread that are under way, after what has happened to them. */
  async advance(session: Session, open: readonly OpenIntent[]): Promise<void> {
    const [first] = open;
    if (!first) return;
    const thread = this.#thread(session, first.record);
    const members = open.map((one) => thread.addOpen(new Draft(session.ledger, one.record, one.change), one));
    for (const [index, { prepared, forwards, events }] of open.entries()) {
      const member = members[index]!;
      if (prepared) {
        thread.resolve(member);
        for (const need of neededBy(prepared)) this.#needs.set(need.luid, need);
      }
      for (const need of forwards.flatMap((one) => neededBy(one.prepared))) this.#needs.set(need.luid, need);
      for (const event of events) thread.take(member, event);
    }
    for (const member of thread.members) await this.#keep(session, member, undefined);
  }

  /** Accepts a new intent for another process to decide on. */
  async accept({ session, record, write }: NewIntent): Promise<void> {
    const thread = this.#thread(session, record);
    const member = thread.add(new Draft(session.ledger, record, 0), ACCEPTED);
    for (const need of write.needs) this.#needs.set(`${need.kind} ${need.handle}`, need);
    await this.#keep(session, member, write);
  }

  /** What became of the intents that were decided on; those that were only accepted are not counted. */
  get outcomes(): Outcomes {
    return this.#outcomes;
  }

  /** All of it, for the commit. */
  settlement(ledger: number, home: Settlement['home']): Settlement {
    return {
      ledger,
      writes: this.#writes,
      needs: [...this.#needs.values()],
      ...this.books.take(),
      opened: this.#opened,
      closed: this.#closed,
      calls: this.#calls,
      moment: this.moment,
      home,
    };
  }

  /** @param origin the first intent of the thread */
  #thread(session: Session, origin: RecordEnvelope): Thread {
    const { ledger, suite, runtime } = session;
    const newLuid = (prefix: string) => makeLuid(prefix, Math.floor(runtime.now() / 1000), runtime.random(11));
    return new Thread({
      books: this.books,
      ledger,
      suite,
      moment: this.moment,
      config: ledger.config,
      newLuid: () => newLuid('wbl'),
      draftForward: (forward) => new Draft(ledger, this.#forward(session, forward, newLuid(KIND.prefix), origin), 0),
    });
  }

  /** The intent that forwards a credit, as the ledger makes it (interface/intents#forwarding). */
  #forward({ ledger }: Session, { data, hash }: PreparedForward, luid: string, origin: RecordEnvelope): RecordEnvelope {
    const { thread } = origin.meta;
    const { moment } = this;
    const first = ledger.system.sign(hash, { moment, status: 'created' });
    const { digest, method, result, custom } = first;
    return {
      hash,
      data,
      luid,
      meta: {
        proofs: [
          { custom: custom!, digest, method, public: ledger.system.public, result },
          ledger.system.stored(hash, { moment, status: 'pending' }),
          ledger.system.stored(hash, { luid, moment, status: 'pending' }),
        ],
        status: 'pending',
        ...(thread === undefined ? {} : { thread }),
        domains: [],
        moment,
        owners: [ledger.system.public],
      },
    };
  }

  /** Keeps what was decided on one intent. @param write what its create decided; absent for the ledger's own */
  async #keep(session: Session, member: Member, write: Write | undefined): Promise<void> {
    const { draft, state } = member;
    this.#calls.push(...(await queueCalls(session, member)));
    if (draft.versions.length === 0) {
      this.#opened.push(formatOpen(session, member));
      return;
    }
    await session.task.turn(PROOF_STEPS * (draft.newest!.proofs - draft.record.meta.proofs.length));
    const made = draft.write(session.integrity, write);
    const raised = session.ledger.effects.size === 0 ? [] : this.#occurrences(member, write);
    const deliveries: readonly NewDelivery[] = await raiseEvents(session, raised);
    this.#writes.push({
      ...made,
      proofs: write?.proofs ?? [],
      strangers: [...session.strangers],
      needs: [],
      decides: false,
      ...(write?.unique ? { unique: write.unique } : {}),
      deliveries: [...(write?.deliveries ?? []), ...deliveries],
    });
    this.#count(member);
    if (isFinal(state)) {
      if (draft.stored > 0) this.#closed.push(draft.record.luid);
      return;
    }
    this.#opened.push(formatOpen(session, member));
  }

  #count({ state: { stage }, row }: Member): void {
    if (stage === 'completed' || stage === 'rejected') this.#outcomes[stage] += 1;
    // One that waits is counted with its first decision only.
    else if (stage !== 'accepted' && (!row || row.stage === 'accepted')) this.#outcomes.waiting += 1;
  }

  #occurrences(member: Member, write: Write | undefined): Occurrence[] {
    const { draft } = member;
    // The create of a client's intent has raised its own.
    const made =
      write || draft.stored > 0
        ? []
        : creationOf({ kind: KIND, record: draft.recordAt(draft.versions[0]!), change: 1 });
    return [...made, ...occurrencesOf(member)];
  }
}

/** Whether nothing happens to it any more. */
export function isFinal({ stage }: IntentState): boolean {
  return stage === 'completed' || stage === 'rejected';
}
