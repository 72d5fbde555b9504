import { setImmediate as turn } from 'node:timers/promises';
import { Overloaded } from '../base/gather.js';
import type { Settled, Settlement } from '../store/committer/settlement.js';
import type { WriteOutcome } from '../store/committer/write.js';
import { settleLimits } from '../store/money/settle-limits.js';
import { isStatementRefused } from '../store/unavailable.js';
import { Books, StoredBooks } from './accounts/books.js';
import { Batch, type Unfit } from './batch.js';
import { Elsewhere, Leadership } from './leader.js';
import { KnownRecords } from './plan/known-records.js';
import { Queue } from './queue.js';
import type { SequencerDeps } from './sequencer-deps.js';
import { sequencerLimits } from './sequencer-limits.js';
import { assertWanted, type DecisionRequest, type Waiting } from './waiting.js';

/** What became of a batch that was sent to the database. */
interface StoreResult {
  readonly isStored: boolean;
  /** Whether what it was decided on may have changed in the database. */
  readonly isOutdated: boolean;
  /** What is to be decided on anew. */
  readonly again: readonly Waiting[];
}

/** A batch on its way to the database. */
interface Sending {
  readonly batch: Batch;
  readonly done: Promise<void>;
  /** Absent until then. */
  result?: StoreResult;
}

const STORED: StoreResult = { isStored: true, isOutdated: false, again: [] };

/** The outcome of an intent without a write of its own: nothing is wrong with it. */
const BLOCKED = { result: 'blocked', version: 0 } as const;

/**
 * Decides on the intents of one ledger, one after the other, on balances as they will be; stores decisions in batches.
 * While one batch is stored, intents are added to the next as they come: it is sent as soon as the one before is stored,
 * and before clients of that one are answered, so neither waits for the other. What rests on a batch that could not be
 * stored is decided anew.
 *
 * It works while this process is the leader of the ledger, so that one process decides at a time. The commit compares all
 * versions, so two processes that both take themselves for the leader store nothing false.
 */
export class Sequencer {
  readonly #queue = new Queue();
  readonly #known: KnownRecords;
  #stored = new StoredBooks();
  #isRunning = false;
  /** The batch that is stored now, and the one that is sent after it. */
  #sending: Sending | undefined;
  #next: Batch | undefined;
  /** Wakes the loop that waits. */
  #wake: () => void = () => {};
  /** Intents of the next batch at most: it halves when a batch fails, and grows with each that succeeds. */
  #width: number = settleLimits.batch;
  /** Which process is the leader of the ledger, as far as this one knows. */
  readonly leadership: Leadership;
  /** Milliseconds since 1970 of the last decision: the clock of a ledger does not run backwards. */
  #last = 0;

  constructor(
    readonly ledger: number,
    private readonly deps: SequencerDeps,
  ) {
    this.leadership = new Leadership(ledger, deps);
    this.#known = new KnownRecords(deps.records);
  }

  /**
   * Decides on an intent, and stores it with all that follows at once.
   *
   * @throws Elsewhere; what planning and deciding throws; Overloaded when too many wait
   */
  decide(asked: DecisionRequest): Promise<WriteOutcome> {
    return new Promise<WriteOutcome>((resolve, reject) => {
      if (this.#queue.size >= sequencerLimits.queue) {
        reject(new Overloaded('Too many intents of the ledger wait for their decision.'));
        return;
      }
      this.#queue.add({ ...asked, intents: [], tries: 0, resolve, reject });
      this.#wake();
      void this.#run();
    });
  }

  /** Frees its memory when it is idle and its lead has ended: all of it has to be read again then. */
  rest(): void {
    if (this.#isRunning || !this.leadership.isOver) return;
    this.#reload();
    this.#queue.forget();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      await this.#work();
    } catch (error) {
      // A defect: nobody is to wait for ever.
      this.#reload();
      for (const { reject } of [...this.#underWay(), ...this.#queue.drain()]) reject(error);
      this.#next = undefined;
      this.#sending = undefined;
    } finally {
      this.#isRunning = false;
      // One may have come after the loop had ended, and before this.
      if (this.#queue.size > 0) void this.#run();
    }
  }

  /** Dequeue, plan, decide; and meanwhile sign, store and answer the batch before. */
  async #work(): Promise<void> {
    while (this.#queue.size > 0 || this.#next || this.#sending) {
      if (this.#sending?.result) this.#finish(this.#sending.result);
      if (this.#next && !this.#sending) this.#send(this.#next);
      const dequeued = this.#dequeue();
      if (dequeued.length > 0) this.#next = await this.#add(dequeued, this.#next);
      else if (this.#sending) await Promise.race([this.#sending.done, this.#arrival()]);
      // What the database has answered is looked at between groups.
      if (dequeued.length > 0 && this.#sending) await turn();
    }
  }

  #dequeue(): readonly Waiting[] {
    if (this.#queue.size === 0) return [];
    if (this.#stored.size > sequencerLimits.balances) {
      // What is under way rests on them.
      if (this.#next || this.#sending) return [];
      this.#reload();
    }
    const room = Math.min(sequencerLimits.together, this.#width - (this.#next?.waiting.length ?? 0));
    return this.#queue.dequeue(room, this.#underWay());
  }

  /** Those whose decisions are not stored yet. */
  #underWay(): Waiting[] {
    return [...(this.#sending?.batch.waiting ?? []), ...(this.#next?.waiting ?? [])];
  }

  /** Waits until another intent comes. */
  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /**
   * Adds decisions to the batch that is sent next.
   *
   * @returns undefined when there is none left
   */
  async #add(dequeued: readonly Waiting[], next: Batch | undefined): Promise<Batch | undefined> {
    let left = dequeued;
    try {
      const isLeader = next ? next.isDecided : await this.#lead();
      if (!isLeader) {
        left = this.#sendToLeader(dequeued);
        return left.length > 0 ? await this.#accept(left, this.#begin(next, false)) : next;
      }
      left = await this.#plan(dequeued);
      await this.#load(left);
      return left.length > 0 ? await this.#decide(left, this.#begin(next, true)) : next;
    } catch (error) {
      for (const { reject } of left) reject(error);
      return next;
    }
  }

  /** Whether this process may decide: it is the leader of the ledger for a while yet. */
  async #lead(): Promise<boolean> {
    const lead = await this.leadership.acquire();
    if (!lead) return false;
    if (lead.isAnew) {
      // A batch that is stored is added to the books it was decided on: they are replaced after that.
      await this.#sending?.done;
      if (this.#sending?.result) this.#finish(this.#sending.result);
      this.#reload();
    }
    this.#last = this.deps.moments.next(this.ledger, lead.moment);
    return true;
  }

  /** Gives back those whose request can go to the leader. @returns the others */
  #sendToLeader(dequeued: readonly Waiting[]): readonly Waiting[] {
    const { holder } = this.leadership;
    if (holder === undefined || !this.deps.reaches(holder)) return dequeued;
    return dequeued.filter(({ goesToLeader, reject }) => {
      if (!goesToLeader) return true;
      reject(new Elsewhere(holder));
      return false;
    });
  }

  /** Plans what each asks for. @returns those that could be planned; the others are rejected */
  async #plan(dequeued: readonly Waiting[]): Promise<Waiting[]> {
    const planned = await Promise.all(
      dequeued.map(async (one) => {
        try {
          one.intents = await one.plan(this.#known.directory(one.session));
          assertWanted(one);
          return [one];
        } catch (error) {
          one.reject(error);
          return [];
        }
      }),
    );
    return planned.flat();
  }

  /** Reads the balances and limits that decisions may read, those that are not known. */
  async #load(planned: readonly Waiting[]): Promise<void> {
    const places = planned.flatMap(({ intents }) => intents.flatMap((intent) => intent.places()));
    const missing = this.#stored.missing(places);
    if (missing.length === 0) return;
    const { balances, limits: found } = await this.deps.load(this.ledger, missing);
    this.#stored.add(missing, balances, found);
  }

  /** The batch that decisions of now are added to: a new one has a layer over that of the batch which is being stored. */
  #begin(next: Batch | undefined, isDecided: boolean): Batch {
    this.#last = this.deps.moments.next(this.ledger);
    const below = this.#sending?.batch.books;
    const batch = next ?? new Batch(new Books(this.deps.newLuid, this.#stored, below), this.deps.signing, isDecided);
    batch.moment = new Date(this.#last).toISOString();
    return batch;
  }

  /** Decides, and has signed what was decided. @returns undefined when one cannot be decided on: the others begin anew */
  async #decide(planned: readonly Waiting[], batch: Batch): Promise<Batch | undefined> {
    for (const [at, one] of planned.entries()) {
      try {
        await batch.decide(one);
      } catch (error) {
        // The layer of the batch holds half of what failed.
        one.reject(error);
        batch.discard();
        this.#queue.requeue([...batch.waiting, ...planned.slice(at + 1)]);
        return undefined;
      }
    }
    batch.sign();
    return batch;
  }

  /** Accepts intents for the leader to decide on. */
  async #accept(waiting: readonly Waiting[], batch: Batch): Promise<Batch | undefined> {
    for (const one of waiting) {
      try {
        await batch.accept(one);
      } catch (error) {
        one.reject(error);
      }
    }
    batch.sign();
    return batch.waiting.length > 0 ? batch : undefined;
  }

  #send(batch: Batch): void {
    const sending: Sending = {
      batch,
      done: this.#store(batch).then((result) => {
        sending.result = result;
      }),
    };
    // The loop sees a failure when it waits for the batch; until then nobody may.
    sending.done.catch(() => {});
    this.#sending = sending;
    this.#next = undefined;
  }

  async #store(batch: Batch): Promise<StoreResult> {
    const { holder, clock, store } = this.deps;
    const moment = new Date(this.#last).toISOString();
    const leader = batch.isDecided ? { holder, lease: sequencerLimits.lease, moment } : undefined;
    let since: number;
    let settlement: Settlement;
    let settled: Settled;
    try {
      const unfit = await batch.signed();
      if (unfit) return { isStored: false, isOutdated: false, again: this.#leaveOut(unfit, batch) };
      since = clock();
      settlement = batch.settlement(this.ledger, leader);
      settled = await store(settlement);
    } catch (error) {
      return { isStored: false, isOutdated: true, again: this.#afterError(error, batch) };
    }
    if (!settled.isStored) {
      const again = this.#afterConflict(settled, batch, settlement);
      return { isStored: false, isOutdated: isOutdated(settled, again), again };
    }
    batch.books.commit();
    if (leader) this.leadership.renew(since);
    else if (settlement.opened.length > 0) this.deps.accepted();
    this.#answer(batch, settled, settlement);
    return STORED;
  }

  #answer(batch: Batch, { outcomes }: Settled, { calls, writes }: Settlement): void {
    const { waiting } = batch;
    this.#width = Math.min(settleLimits.batch, this.#width + 1);
    this.deps.metrics.settled(waiting.length, batch.outcomes);
    if (calls.length > 0 || writes.some(({ deliveries }) => deliveries?.length)) this.deps.queued();
    const version = outcomes[0]?.version ?? 0;
    for (const one of waiting) this.#queue.noteStored(one, version);
    // Done after the next batch is sent, so that the database does not wait while answers are made.
    setImmediate(() => {
      for (const one of waiting) one.resolve({ result: 'done', version });
    });
  }

  #finish({ isStored, isOutdated, again }: StoreResult): void {
    this.#sending = undefined;
    if (isStored) return;
    if (isOutdated) this.#reload();
    // The next batch was decided on balances of this one, which was not stored.
    this.#queue.requeue([...again, ...(this.#next?.waiting ?? [])]);
    this.#next?.discard();
    this.#next = undefined;
  }

  /** Rejects the one that cannot be stored. @returns the others, which are decided on without it */
  #leaveOut({ session, error }: Unfit, { waiting }: Batch): readonly Waiting[] {
    for (const one of waiting) if (one.session === session) one.reject(error);
    return waiting.filter((one) => one.session !== session);
  }

  /** Rejects the intents whose outcome is unknown. @returns those that are decided on anew */
  #afterError(error: unknown, { waiting }: Batch): readonly Waiting[] {
    if (isStatementRefused(error) && waiting.length > 1) {
      // Nothing was stored. Batches are halved until the refused intent is alone, and the others are stored.
      this.#width = waiting.length >> 1;
      return waiting;
    }
    // The outcome is unknown. Clients send the same request again, and are told then.
    for (const { reject } of waiting) reject(error);
    return [];
  }

  /** Answers the intents that kept the batch from being stored. @returns the others, which are decided on anew */
  #afterConflict({ isLeader, outcomes }: Settled, { waiting }: Batch, { writes }: Settlement): readonly Waiting[] {
    this.deps.metrics.redone();
    if (waiting.length > 1) this.#width = waiting.length >> 1;
    if (!isLeader) this.leadership.expire();
    const results = new Map(writes.map((write, ord) => [write.luid, outcomes[ord]!] as const));
    const newest = Math.max(0, ...outcomes.map(({ version }) => version));
    return waiting.filter((one) => {
      // Where the intent is of a thread, another one of that may be at fault.
      const isStale = one.session.ledger.version < newest;
      const other = isStale ? ({ result: 'stale', version: newest } as const) : BLOCKED;
      const { result, version } = results.get(one.luid) ?? other;
      if (result === 'duplicated') this.#queue.noteUsed(one, version);
      one.tries += 1;
      // It may rest on something else that has changed: its session begins anew, and the others go on.
      const retriesExhausted = result === 'blocked' && one.tries >= sequencerLimits.tries;
      if (retriesExhausted) {
        this.#queue.setApart(one);
        one.resolve({ result: 'stale', version: one.session.ledger.version });
      }
      if (result !== 'blocked') one.resolve({ result, version });
      return result === 'blocked' && !retriesExhausted;
    });
  }

  /** Has everything read again: it may have changed in the database, or is too much to be held. */
  #reload(): void {
    this.#stored = new StoredBooks();
    this.#known.forget();
  }
}

/**
 * Whether something that a batch rests on may have changed. A handle or proof that is in use is a cause of its own, but it can
 * hide such a change: an intent that is blocked twice is decided on anew on what is read again.
 */
function isOutdated({ isLeader, outcomes }: Settled, again: readonly Waiting[]): boolean {
  const isExplained = outcomes.some(({ result }) => result !== 'blocked' && result !== 'stale');
  return !isLeader || !isExplained || again.some(({ tries }) => tries > 1);
}
