import { raiseEvents } from '../events/raise.js';
import type { Countersigner } from '../keys/countersigner.js';
import type { Session } from '../ledgers/session.js';
import { stepsOfText } from '../metering/task.js';
import type { SerializedVersions } from '../signing/serialization.js';
import type { Signing } from '../signing/signing.js';
import type { OpenIntentWrite, Settlement } from '../store/committer/settlement.js';
import type { Need, NewDelivery, Write } from '../store/committer/write.js';
import type { Books } from './accounts/books.js';
import { queueCalls } from './bridges.js';
import { INTENT_KIND, type Intent, isFinal } from './intent.js';
import { occurrencesOf } from './occurrences.js';
import { formatOpen } from './open-state.js';
import { IntentThread } from './thread.js';
import type { Waiting } from './waiting.js';

/** Steps that a proof takes to be made (`workLimits`): half of them to decide on it, half to sign and store it. */
const PROOF_STEPS = 125;

/** What decisions have left intents in: final, or waiting for something. */
export type Outcomes = Readonly<Record<'completed' | 'rejected' | 'waiting', number>>;

/** For each intent that has new versions: the serialized versions, or the error that prevents them. */
type Serialized = ReadonlyMap<Intent, SerializedVersions | Error>;

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
  /** Intents that were decided on, and are not signed yet. */
  #decided: Intent[] = [];
  /** Ends when all that was signed is ready to be stored. */
  #signed: Promise<void> = Promise.resolve();
  #unfit: Unfit | undefined;
  #isDiscarded = false;

  /** Whose decisions it has. */
  readonly waiting: Waiting[] = [];
  /** Of the next decisions, ISO 8601. */
  moment = '';

  /** @param isDecided whether its intents are decided on; else they are only accepted, for another process to decide on */
  constructor(
    /** Its layer: balances and limits as they will be when it is stored. */
    readonly books: Books,
    private readonly signing: Signing,
    readonly isDecided: boolean,
  ) {}

  /**
   * Decides on a new intent, or on those of a thread under way after what has happened to them.
   *
   * @throws what ends the request of a new one
   */
  async decide(one: Waiting): Promise<void> {
    const { session, intents } = one;
    const thread = new IntentThread(session, this.books, this.moment, intents);
    for (const intent of intents) {
      if (intent.input.planned) thread.resolve(intent);
      for (const event of intent.input.events ?? []) thread.apply(intent, event);
    }
    for (const intent of thread.intents) await this.#add(intent);
    this.waiting.push(one);
  }

  /** Adds a new intent for another process to decide on. A thread stays due: that process sees to it. */
  async accept(one: Waiting): Promise<void> {
    if (one.accepted) await this.#add(one.accepted());
    this.waiting.push(one);
  }

  async #add(intent: Intent): Promise<void> {
    const { session, newest, record, input } = intent;
    // Intents that were planned on two versions of a record are not stored together: one of these is not current.
    for (const need of intent.needs())
      this.#needs.set(need.luid ? `${need.luid} ${need.change}` : `${need.kind} ${need.handle}`, need);
    if (newest) {
      const proofs = newest.proofs - record.meta.proofs.length;
      await session.task.turn(PROOF_STEPS * proofs + stepsOfText(input.write?.body));
    }
    this.#decided.push(intent);
    this.#count(intent);
  }

  /** Signs what was decided since the last call, and makes of it what is stored. Decisions go on meanwhile. */
  sign(): void {
    const intents = this.#decided;
    this.#decided = [];
    this.#signed = this.#writeAll(intents, this.#serialize(intents), this.#signed);
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

  /** All of it, for the commit: once it is signed. */
  settlement(ledger: number, leader: Settlement['leader']): Settlement {
    return {
      ledger,
      writes: this.#writes,
      needs: [...this.#needs.values()],
      ...this.books.changes(),
      opened: this.#opened,
      closed: this.#closed,
      calls: this.#calls,
      moment: this.moment,
      leader,
    };
  }

  /** Serializes the versions of all intents that have any. */
  async #serialize(intents: readonly Intent[]): Promise<Serialized> {
    const changed = intents.filter(({ versions }) => versions.length > 0);
    const [first] = changed;
    if (!first) return new Map();
    const signers: Countersigner[] = [];
    const indexOf = (signer: Countersigner) => {
      const known = signers.indexOf(signer);
      return known < 0 ? signers.push(signer) - 1 : known;
    };
    const records = changed.map((intent) => intent.unsigned(indexOf));
    const { id, luid } = first.session.ledger;
    const serialized = await this.signing.serialize({
      ledger: { id, luid },
      kind: INTENT_KIND.name,
      signers: signers.map((signer) => ({ handle: signer.handle, ...signer.signingKey() })),
      records,
    });
    return new Map(changed.map((intent, at) => [intent, serialized[at]!]));
  }

  /** Makes the writes of intents once their versions are serialized. @param before ends when those before them are made: they stay in order */
  async #writeAll(intents: readonly Intent[], serializing: Promise<Serialized>, before: Promise<void>): Promise<void> {
    const serialized = await serializing;
    await before;
    for (const intent of intents) {
      if (this.#unfit || this.#isDiscarded) return;
      try {
        await this.#write(intent, serialized.get(intent));
      } catch (error) {
        this.#unfit = { session: intent.session, error };
      }
    }
  }

  /** @throws what makes a version or its events refused */
  async #write(intent: Intent, serialized: SerializedVersions | Error | undefined): Promise<void> {
    const { session, record, newest, stored, state } = intent;
    const { write } = intent.input;
    this.#calls.push(...(await queueCalls(intent)));
    if (!serialized) {
      this.#opened.push(formatOpen(intent));
      return;
    }
    if (serialized instanceof Error) throw serialized;
    await session.task.turn(PROOF_STEPS * (newest!.proofs - record.meta.proofs.length));
    const made = intent.writeVersions(serialized);
    const raised = session.ledger.effects.size === 0 ? [] : occurrencesOf(intent);
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
    if (!isFinal(state)) this.#opened.push(formatOpen(intent));
    else if (stored > 0) this.#closed.push(record.luid);
  }

  #count({ state: { stage }, input: { open } }: Intent): void {
    if (stage === 'completed' || stage === 'rejected') this.#outcomes[stage] += 1;
    // One that waits is counted with its first decision only.
    else if (stage !== 'accepted' && (!open || open.row.stage === 'accepted')) this.#outcomes.waiting += 1;
  }
}
