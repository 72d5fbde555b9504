import { RetryLater } from '../../base/retry-later.js';

/** Bytes that bodies under way take at most, and how they wait for them. */
export interface MemoryBounds {
  readonly process: number;
  readonly sender: number;
  readonly ledger: number;
  /** Greatest numbers of waiting bodies that one sender has: for one ledger, and for all `together`. */
  readonly waiting: number;
  readonly together: number;
  /** Milliseconds that one waits at most. */
  readonly patience: number;
}

export interface AskedMemory {
  readonly sender: string;
  /** The id of the ledger; undefined for none. */
  readonly ledger: number | undefined;
  readonly bytes: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

/** The memory that one body has. */
export interface HeldMemory {
  /**
   * Counts it for the ledger, no longer for the sender; a second call changes nothing. Where the ledger has no room it is
   * refused at once: one that waited would keep the memory of its sender from other ledgers at the same proxy.
   *
   * @throws `api.rate-limit-exceeded` when the ledger has none left
   */
  grant(): void;
  release(): void;
}

/**
 * What the bodies of a sender for one ledger have. Behind a proxy many tenants are one sender: one of them, whose ledger has no
 * memory left, must not be in the way of the others.
 */
interface SenderShare {
  readonly key: string;
  readonly sender: string;
  readonly ledger: number | undefined;
  taken: number;
  readonly waiting: BodyWaiter[];
}

interface BodyWaiter {
  readonly bytes: number;
  enter(): void;
}

/**
 * The memory of bodies under way. A body counts for its sender until its caller is known to be allowed, then for the ledger:
 * a stranger cannot use up the memory of a ledger, nor a ledger that of a proxy. Senders take turns.
 */
export class BodyMemory {
  readonly #bounds: MemoryBounds;
  /** In the order of their turns; one that neither holds bytes nor waits is deleted. */
  readonly #shares = new Map<string, SenderShare>();
  readonly #senders = new Tally();
  readonly #ledgers = new Tally();
  /** Waiting bodies, by sender. */
  readonly #waiting = new Tally();
  #taken = 0;

  constructor(bounds: MemoryBounds) {
    this.#bounds = bounds;
  }

  /** @throws `api.rate-limit-exceeded` when there is none in time, or too many wait */
  async take({ sender, ledger, bytes, gone }: AskedMemory): Promise<HeldMemory> {
    const key = `${ledger} ${sender}`;
    const share = this.#shares.get(key) ?? { key, sender, ledger, taken: 0, waiting: [] };
    const { waiting, together } = this.#bounds;
    if (share.waiting.length >= waiting || this.#waiting.of(sender) >= together || gone.aborted) throw new NoMemory();
    this.#shares.set(key, share);
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        this.#waiting.add(sender, -1);
        gone.removeEventListener('abort', giveUp);
      };
      const giveUp = () => {
        stop();
        share.waiting.splice(share.waiting.indexOf(waiter), 1);
        this.#forget(share);
        reject(new NoMemory());
        // Others may have waited behind it.
        this.#next();
      };
      const enter = () => {
        stop();
        resolve();
      };
      const timer = setTimeout(giveUp, this.#bounds.patience).unref();
      gone.addEventListener('abort', giveUp);
      const waiter = { bytes, enter };
      share.waiting.push(waiter);
      this.#waiting.add(sender, 1);
      this.#next();
    });
    return this.#hold(share, bytes);
  }

  #hold(share: SenderShare, bytes: number): HeldMemory {
    let by: 'sender' | 'ledger' | 'nobody' = 'sender';
    return {
      grant: () => {
        if (by !== 'sender') return;
        if (this.#ledgers.of(share.ledger) + bytes > this.#bounds.ledger) throw new NoMemory();
        by = 'ledger';
        this.#count(share, -bytes);
        this.#ledgers.add(share.ledger, bytes);
        this.#next();
      },
      release: () => {
        if (by === 'nobody') return;
        if (by === 'sender') this.#count(share, -bytes);
        else this.#ledgers.add(share.ledger, -bytes);
        by = 'nobody';
        this.#taken -= bytes;
        this.#next();
      },
    };
  }

  #next(): void {
    for (let turn = this.#first(); turn; turn = this.#first()) {
      const [share, one] = turn;
      if (this.#taken + one.bytes > this.#bounds.process) return;
      share.waiting.shift();
      this.#shares.delete(share.key);
      this.#shares.set(share.key, share);
      this.#count(share, one.bytes);
      this.#taken += one.bytes;
      one.enter();
    }
  }

  /** The first waiter in turn that fits its sender and its ledger. Those behind one that its sender has no memory for wait. */
  #first(): [SenderShare, BodyWaiter] | undefined {
    const full = new Set<string>();
    for (const share of this.#shares.values()) {
      const [one] = share.waiting;
      if (!one || full.has(share.sender)) continue;
      if (this.#ledgers.of(share.ledger) + share.taken + one.bytes > this.#bounds.ledger) continue;
      if (this.#senders.of(share.sender) + one.bytes <= this.#bounds.sender) return [share, one];
      full.add(share.sender);
    }
    return undefined;
  }

  #count(share: SenderShare, bytes: number): void {
    share.taken += bytes;
    this.#senders.add(share.sender, bytes);
    this.#forget(share);
  }

  #forget(share: SenderShare): void {
    if (share.taken === 0 && share.waiting.length === 0) this.#shares.delete(share.key);
  }
}

/** The refusal of a body that finds no memory. */
export class NoMemory extends RetryLater {
  constructor() {
    super('api.rate-limit-exceeded', 'Too many bytes of request bodies are under way. Retry later.', 1);
  }
}

/** Numbers by whose they are. */
class Tally {
  readonly #counts = new Map<unknown, number>();

  of(whose: unknown): number {
    return this.#counts.get(whose) ?? 0;
  }

  add(whose: unknown, more: number): void {
    const now = this.of(whose) + more;
    if (now === 0) this.#counts.delete(whose);
    else this.#counts.set(whose, now);
  }
}
