import { setImmediate as turn } from 'node:timers/promises';
import { Overloaded } from '../base/gather.js';
import { limits } from '../limits.js';
import type { Settled, Settlement } from '../store/committer/settlement.js';
import type { Outcome } from '../store/committer/write.js';
import { isRefused } from '../store/unavailable.js';
import { Books, StoredBooks } from './accounts/books.js';
import { Batch, type Unfit } from './batch.js';
import { Elsewhere } from './elsewhere.js';
import { HomeLease } from './home-lease.js';
import { KnownRecords } from './plan/directory.js';
import type { SettlerMeans } from './settler-means.js';
import { type Asked, assertWanted, type Waiting } from './waiting.js';
import { WaitingQueue } from './waiting-queue.js';

/** Decisions that are to be stored together. */
interface Decided {
  readonly batch: Batch;
  readonly intents: readonly Waiting[];
  /** Whether they were decided on; false where they were only accepted, for the ledger's home. */
  readonly isDecided: boolean;
}

/** What became of a batch that was sent to the database. */
interface Sent {
  readonly isStored: boolean;
  /** Whether what it was decided on may have changed in the database. */
  readonly isOutdated: boolean;
  /** The intents of it that are to be decided anew. */
  readonly again: readonly Waiting[];
}

/** A batch on its way to the database. */
interface Sending {
  readonly batch: Batch;
  readonly intents: readonly Waiting[];
  readonly done: Promise<void>;
  /** Absent until then. */
  result?: Sent;
}

const STORED: Sent = { isStored: true, isOutdated: false, again: [] };

/** The outcome of an intent without a write of its own: nothing is wrong with it. */
const BLOCKED = { result: 'blocked', version: 0 } as const;

/**
 * Decides on the intents of one ledger, one after the other, on balances as they will be; stores decisions in groups.
 * While one group is stored, intents are added to the next as they come: it is sent as soon as the one before is stored,
 * and before clients of that one are answered, so neither waits for the other. What rests on a group that could not be
 * stored is decided anew.
 *
 * It holds the ledger's home while it works, so that one process decides at a time. The commit compares all versions, so
 * two processes that both take themselves for the home store nothing false.
 */
export class Settler {
  readonly #queue = new WaitingQueue();
  readonly #known = new KnownRecords();
  #stored = new StoredBooks();
  #isRunning = false;
  /** The batch that is stored now, and the one that is sent after it. */
  #sending: Sending | undefined;
  #next: Decided | undefined;
  /** Wakes the loop that waits. */
  #wake: () => void = () => {};
  /** Intents of the next batch at most: it halves when a batch fails, and grows with each that succeeds. */
  #width: number = limits.intents.batch;
  /** Which process is the home of the ledger, as far as this one knows. */
  readonly home: HomeLease;
  /** Milliseconds since 1970 of the last decision: the clock of a ledger does not run backwards. */
  #last = 0;

  constructor(
    readonly ledger: number,
    private readonly means: SettlerMeans,
  ) {
    this.home = new HomeLease(ledger, means);
  }

  /**
   * Decides on an intent, and stores it with all that follows at once.
   *
   * @throws Elsewhere; what preparing and deciding throws; Overloaded when too many wait
   */
  decide(asked: Asked): Promise<Outcome> {
    return new Promise<Outcome>((resolve, reject) => {
      if (this.#queue.size >= limits.intents.queue) {
        reject(new Overloaded('Too many intents of the ledger wait for their decision.'));
        return;
      }
      this.#queue.add({ ...asked, intents: [], tries: 0, resolve, reject });
      this.#wake();
      void this.#run();
    });
  }

  /** Frees its memory when it is idle and its home has ended: all of it has to be read again then. */
  rest(): void {
    if (this.#isRunning || !this.home.isOver) return;
    this.#reload();
    this.#queue.forget();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      await this.#settle();
    } catch (error) {
      // A defect: nobody is to wait for ever.
      this.#reload();
      for (const { reject } of [...this.#underWay(), ...this.#queue.empty()]) reject(error);
      this.#next = undefined;
      this.#sending = undefined;
    } finally {
      this.#isRunning = false;
      // One may have come after the loop had ended, and before this.
      if (this.#queue.size > 0) void this.#run();
    }
  }

  async #settle(): Promise<void> {
    while (this.#queue.size > 0 || this.#next || this.#sending) {
      if (this.#sending?.result) this.#takeUp(this.#sending.result);
      if (this.#next && !this.#sending) this.#send(this.#next);
      const group = this.#queue.size > 0 ? this.#queue.take(this.#room(), this.#underWay()) : [];
      if (group.length > 0) this.#next = await this.#decide(group, this.#next);
      else if (this.#sending) await Promise.race([this.#sending.done, this.#arrival()]);
      // What the database has answered is looked at between groups.
      if (group.length > 0 && this.#sending) await turn();
    }
  }

  /** Intents that are not stored yet. */
  #underWay(): Waiting[] {
    return [...(this.#sending?.intents ?? []), ...(this.#next?.intents ?? [])];
  }

  /** How many intents are decided on next. */
  #room(): number {
    if (this.#stored.size > limits.intents.balances) {
      // What is under way rests on them.
      if (this.#next || this.#sending) return 0;
      this.#reload();
    }
    return Math.min(limits.intents.together, this.#width - (this.#next?.intents.length ?? 0));
  }

  /** Waits until another intent comes. */
  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #takeUp({ isStored, isOutdated, again }: Sent): void {
    this.#sending = undefined;
    if (isStored) return;
    if (isOutdated) this.#reload();
    // What was decided meanwhile rests on what was not stored.
    this.#queue.putBack([...again, ...(this.#next?.intents ?? [])]);
    this.#next?.batch.discard();
    this.#next = undefined;
  }

  /**
   * Adds decisions to those that are not sent yet.
   *
   * @returns all of them; undefined when no intent is left of them
   */
  async #decide(intents: readonly Waiting[], before: Decided | undefined): Promise<Decided | undefined> {
    let kept = intents;
    try {
      const isHome = before ? before.isDecided : await this.#takeHome();
      if (!isHome) {
        kept = this.#sendHome(intents);
        return await this.#accept(kept, before);
      }
      kept = await this.#plan(intents);
      await this.#load(kept);
      return await this.#decideAll(kept, before);
    } catch (error) {
      for (const { reject } of kept) reject(error);
      return before;
    }
  }

  /** Decides on them, and signs what was decided. @returns undefined when one cannot be decided on: the others begin anew */
  async #decideAll(planned: readonly Waiting[], before: Decided | undefined): Promise<Decided | undefined> {
    const batch = this.#begin(before);
    const intents = [...(before?.intents ?? []), ...planned];
    for (const one of planned) {
      try {
        await batch.decide(one.session, one.intents);
      } catch (error) {
        // The layer of the batch holds half of what failed.
        one.reject(error);
        batch.discard();
        this.#queue.putBack(intents.filter((other) => other !== one));
        return undefined;
      }
    }
    batch.sign();
    return intents.length > 0 ? { batch, intents, isDecided: true } : undefined;
  }

  /** Gives back those whose request can go to the home. @returns the others */
  #sendHome(intents: readonly Waiting[]): readonly Waiting[] {
    const { holder } = this.home;
    if (holder === undefined || !this.means.reaches(holder)) return intents;
    return intents.filter(({ goesHome, reject }) => {
      if (!goesHome) return true;
      reject(new Elsewhere(holder));
      return false;
    });
  }

  /** Accepts intents for the home to decide on. */
  async #accept(intents: readonly Waiting[], before: Decided | undefined): Promise<Decided | undefined> {
    if (intents.length === 0) return before;
    const batch = this.#begin(before);
    const accepted = [...(before?.intents ?? [])];
    for (const one of intents) {
      try {
        // A thread stays due: the home sees to it.
        if (one.accepted) await batch.accept(one.accepted());
        accepted.push(one);
      } catch (error) {
        one.reject(error);
      }
    }
    batch.sign();
    return accepted.length > 0 ? { batch, intents: accepted, isDecided: false } : undefined;
  }

  /** Those of the intents that could be planned; the others are rejected. */
  async #plan(intents: readonly Waiting[]): Promise<Waiting[]> {
    const planned = await Promise.all(
      intents.map(async (one) => {
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

  /** Reads the balances and limits that decisions may read, those that are not in the books. */
  async #load(planned: readonly Waiting[]): Promise<void> {
    const places = planned.flatMap(({ intents }) => intents.flatMap((intent) => intent.places()));
    const missing = this.#stored.missing(places);
    if (missing.length === 0) return;
    const { balances, limits: found } = await this.means.load(this.ledger, missing);
    this.#stored.add(missing, balances, found);
  }

  /** The batch that decisions of now are added to. */
  #begin(before: Decided | undefined): Batch {
    this.#last = this.means.moments.next(this.ledger);
    const moment = new Date(this.#last).toISOString();
    const batch = before?.batch ?? this.#newBatch();
    batch.moment = moment;
    return batch;
  }

  /** A batch on a layer of its own, over that of the batch which is being stored. */
  #newBatch(): Batch {
    const books = new Books(this.means.newLuid, this.#stored, this.#sending?.batch.books);
    return new Batch(books, this.means.signing);
  }

  #send({ batch, intents, isDecided }: Decided): void {
    const sending: Sending = {
      batch,
      intents,
      done: this.#store(batch, intents, isDecided).then((result) => {
        sending.result = result;
      }),
    };
    this.#sending = sending;
    this.#next = undefined;
  }

  async #store(batch: Batch, intents: readonly Waiting[], isDecided: boolean): Promise<Sent> {
    const moment = new Date(this.#last).toISOString();
    const home = isDecided ? { holder: this.means.holder, lease: limits.intents.home, moment } : undefined;
    let since: number;
    let settlement: Settlement;
    let settled: Settled;
    try {
      const unfit = await batch.signed();
      if (unfit) return { isStored: false, isOutdated: false, again: this.#leaveOut(unfit, intents) };
      since = this.means.clock();
      settlement = batch.settlement(this.ledger, home);
      settled = await this.means.store(settlement);
    } catch (error) {
      return { isStored: false, isOutdated: true, again: this.#lose(error, intents) };
    }
    if (!settled.isStored) {
      const again = this.#redo(settled, intents, settlement);
      return { isStored: false, isOutdated: isOutdated(settled), again };
    }
    batch.books.keep();
    if (settlement.home) this.home.renew(since);
    else if (settlement.opened.length > 0) this.means.accepted();
    this.#width = Math.min(limits.intents.batch, this.#width + 1);
    this.means.metrics.settled(intents.length, batch.outcomes);
    if (settlement.calls.length > 0 || settlement.writes.some(({ deliveries }) => deliveries?.length))
      this.means.queued();
    const version = settled.outcomes[0]?.version ?? 0;
    for (const one of intents) this.#queue.noteStored(one, version);
    // The next batch is sent before: answering takes longer, and the database would wait meanwhile.
    setImmediate(() => {
      for (const one of intents) one.resolve({ result: 'done', version });
    });
    return STORED;
  }

  /** Rejects the intent that cannot be stored. @returns the others, which are decided on without it */
  #leaveOut({ session, error }: Unfit, intents: readonly Waiting[]): readonly Waiting[] {
    for (const one of intents) if (one.session === session) one.reject(error);
    return intents.filter((one) => one.session !== session);
  }

  /** @returns the intents that are decided on anew */
  #lose(error: unknown, intents: readonly Waiting[]): readonly Waiting[] {
    if (isRefused(error) && intents.length > 1) {
      // Nothing was stored. Batches are halved until the refused intent is alone, and the others are stored.
      this.#width = intents.length >> 1;
      return intents;
    }
    // Whether it was stored is unknown: clients send the same again, and are told.
    for (const { reject } of intents) reject(error);
    return [];
  }

  /** Answers those that stand in the way of the others. @returns the others, which are decided on anew */
  #redo({ isHome, outcomes }: Settled, intents: readonly Waiting[], { writes }: Settlement): readonly Waiting[] {
    this.means.metrics.redone();
    if (intents.length > 1) this.#width = intents.length >> 1;
    if (!isHome) this.home.lose();
    const results = new Map(writes.map((write, ord) => [write.luid, outcomes[ord]!] as const));
    const newest = Math.max(0, ...outcomes.map(({ version }) => version));
    return intents.filter((one) => {
      // Of a thread, another intent may be the one that stands in the way.
      const isStale = one.session.ledger.version < newest;
      const other = isStale ? ({ result: 'stale', version: newest } as const) : BLOCKED;
      const { result, version } = results.get(one.luid) ?? other;
      if (result === 'duplicated') this.#queue.noteTaken(one, version);
      one.tries += 1;
      // It may rest on something else that has changed: its session begins anew, and the others go on.
      const retriesExhausted = result === 'blocked' && one.tries >= limits.intents.tries;
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

  /** Whether this process may decide: it is the home of the ledger for a while yet. */
  async #takeHome(): Promise<boolean> {
    const held = await this.home.take();
    if (!held) return false;
    if (held.isAnew) this.#reload();
    this.#last = this.means.moments.next(this.ledger, held.moment);
    return true;
  }
}

/** Whether something that a batch rests on has changed. A handle or proof that is taken says nothing of that. */
function isOutdated({ isHome, outcomes }: Settled): boolean {
  return !isHome || outcomes.every(({ result }) => result === 'blocked' || result === 'stale');
}
