import { luid as makeLuid, type RecordEnvelope } from '@countersign/protocol';
import type { Occurrence } from '../events/occurrence.js';
import { creationOf } from '../events/occurrence.js';
import { raiseEvents } from '../events/raise.js';
import type { Countersigner } from '../keys/countersigner.js';
import { kindNamed } from '../kinds/registry.js';
import type { NewIntent } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import { stepsOfText } from '../metering/task.js';
import type { SerializedVersions } from '../signing/serialization.js';
import type { Signing } from '../signing/signing.js';
import type { OpenIntentWrite, Settlement } from '../store/committer/settlement.js';
import type { Need, NewDelivery, Write } from '../store/committer/write.js';
import type { Books } from './accounts/books.js';
import { queueCalls } from './calls/queue-calls.js';
import { Draft } from './draft.js';
import { ACCEPTED } from './machine.js';
import type { Member } from './member.js';
import type { IntentState } from './model.js';
import { occurrencesOf } from './occurrences.js';
import type { OpenIntent } from './open-intent.js';
import { formatOpen } from './open-state.js';
import { neededBy, type Prepared, type PreparedForward } from './prepare.js';
import { Thread } from './thread.js';

const KIND = kindNamed('intent');

/** Steps that a proof takes to be made (`limits.work`): half of them to decide on it, half to sign and store it. */
const PROOF_STEPS = 125;

/** A new intent with what was found for it. */
export interface PreparedIntent extends NewIntent {
  readonly prepared: Prepared;
}

/** What decisions have left intents in: final, or waiting for something. */
export type Outcomes = Readonly<Record<'completed' | 'rejected' | 'waiting', number>>;

/** What was decided on one intent. */
interface Decision {
  readonly session: Session;
  readonly member: Member;
  /** What its create decided; absent for the ledger's own, and for one under way. */
  readonly write: Write | undefined;
}

/** For each draft that has versions: the serialized versions, or the error that prevents them. */
type Serialized = ReadonlyMap<Draft, SerializedVersions | Error>;

/** Why a batch cannot be stored. */
export interface Unfit {
  /** The session of the intent that stands in its way. */
  readonly session: Session;
  readonly error: unknown;
}

/**
 * The decisions on several intents, in order, which are stored together. Signatures are made after the decisions, several
 * intents at a time (`sign`), and what is stored is made of what was signed.
 */
export class Batch {
  readonly #needs = new Map<string, Need>();
  readonly #writes: Write[] = [];
  readonly #opened: OpenIntentWrite[] = [];
  readonly #closed: string[] = [];
  readonly #outcomes = { completed: 0, rejected: 0, waiting: 0 };
  readonly #calls: NewDelivery[] = [];
  /** Decisions that are not signed yet. */
  #decisions: Decision[] = [];
  /** Ends when all that was signed is ready to be stored. */
  #signed: Promise<void> = Promise.resolve();
  #unfit: Unfit | undefined;
  #isDiscarded = false;

  /** Of the next decisions, ISO 8601. */
  moment = '';

  constructor(
    private readonly books: Books,
    private readonly signing: Signing,
  ) {}

  /** Decides on a new intent. @throws what ends its request */
  async create(pending: PreparedIntent): Promise<void> {
    const { session, record, write, prepared } = pending;
    const draft = new Draft(session.ledger, record, 0, write.body);
    const thread = this.#thread(session, record);
    const first = thread.add(draft, ACCEPTED, prepared);
    thread.resolve(first);
    for (const need of neededBy(prepared)) this.#needs.set(need.luid, need);
    for (const need of write.mustExist) this.#needs.set(`${need.kind} ${need.handle}`, need);
    for (const member of thread.members) await this.#decided(session, member, member === first ? write : undefined);
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
    for (const member of thread.members) await this.#decided(session, member, undefined);
  }

  /** Accepts a new intent for another process to decide on. */
  async accept({ session, record, write }: NewIntent): Promise<void> {
    const thread = this.#thread(session, record);
    const member = thread.add(new Draft(session.ledger, record, 0, write.body), ACCEPTED);
    for (const need of write.mustExist) this.#needs.set(`${need.kind} ${need.handle}`, need);
    await this.#decided(session, member, write);
  }

  /** Signs what was decided since the last call, and makes of it what is stored. Decisions go on meanwhile. */
  sign(): void {
    const decisions = this.#decisions;
    this.#decisions = [];
    this.#signed = this.#keepAll(decisions, this.#serialize(decisions), this.#signed);
    // Who stores the batch is told; nobody else need be.
    this.#signed.catch(() => {});
  }

  /** Waits until all is ready to be stored. @returns what stands in the way, if anything does */
  async signed(): Promise<Unfit | undefined> {
    await this.#signed;
    return this.#unfit;
  }

  /** It is not stored: its intents are decided on anew. */
  discard(): void {
    this.#isDiscarded = true;
  }

  /** What became of the intents that were decided on; those that were only accepted are not counted. */
  get outcomes(): Outcomes {
    return this.#outcomes;
  }

  /** All of it, for the commit: once it is signed. @param moved what `Books.take` gave when the batch ended */
  settlement(ledger: number, home: Settlement['home'], moved: ReturnType<Books['take']>): Settlement {
    return {
      ledger,
      writes: this.#writes,
      needs: [...this.#needs.values()],
      ...moved,
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
  #forward(
    { ledger }: Session,
    { data, hash, domains }: PreparedForward,
    luid: string,
    origin: RecordEnvelope,
  ): RecordEnvelope {
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
        domains: [...domains],
        moment,
        owners: [ledger.system.public],
      },
    };
  }

  async #decided(session: Session, member: Member, write: Write | undefined): Promise<void> {
    const { newest, record } = member.draft;
    if (newest) {
      const proofs = newest.proofs - record.meta.proofs.length;
      await session.task.turn(PROOF_STEPS * proofs + stepsOfText(write?.body));
    }
    this.#decisions.push({ session, member, write });
    this.#count(member);
  }

  /** Serializes the versions of all intents that have any. */
  async #serialize(decisions: readonly Decision[]): Promise<Serialized> {
    const drafts = decisions.map(({ member }) => member.draft).filter(({ versions }) => versions.length > 0);
    const [first] = drafts;
    if (!first) return new Map();
    const signers: Countersigner[] = [];
    const indexOf = (signer: Countersigner) => {
      const known = signers.indexOf(signer);
      return known < 0 ? signers.push(signer) - 1 : known;
    };
    const records = drafts.map((draft) => draft.planVersions(indexOf));
    const { id, luid } = first.ledger;
    const serialized = await this.signing.serialize({
      ledger: { id, luid },
      kind: KIND.name,
      signers: signers.map((signer) => ({ handle: signer.handle, ...signer.signingKey() })),
      records,
    });
    return new Map(drafts.map((draft, at) => [draft, serialized[at]!]));
  }

  /** Keeps decisions once their versions are serialized. @param before ends when those before them are kept: writes stay in order */
  async #keepAll(
    decisions: readonly Decision[],
    serializing: Promise<Serialized>,
    before: Promise<void>,
  ): Promise<void> {
    const serialized = await serializing;
    await before;
    for (const decision of decisions) {
      if (this.#unfit || this.#isDiscarded) return;
      try {
        await this.#keep(decision, serialized.get(decision.member.draft));
      } catch (error) {
        this.#unfit = { session: decision.session, error };
      }
    }
  }

  /** @throws what makes a version or its events refused */
  async #keep({ session, member, write }: Decision, serialized: SerializedVersions | Error | undefined): Promise<void> {
    const { draft, state } = member;
    this.#calls.push(...(await queueCalls(session, member)));
    if (!serialized) {
      this.#opened.push(formatOpen(session, member));
      return;
    }
    if (serialized instanceof Error) throw serialized;
    await session.task.turn(PROOF_STEPS * (draft.newest!.proofs - draft.record.meta.proofs.length));
    const made = draft.write(serialized, session.integrity, write);
    const raised = session.ledger.effects.size === 0 ? [] : this.#occurrences(member, write);
    const deliveries: readonly NewDelivery[] = await raiseEvents(session, raised);
    this.#writes.push({
      ...made,
      proofs: write?.proofs ?? [],
      assumedUnregistered: [...session.assumedUnregistered],
      mustExist: [],
      bumpsRules: false,
      ...(write?.unique ? { unique: write.unique } : {}),
      deliveries: [...(write?.deliveries ?? []), ...deliveries],
    });
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
