import type { Move } from '@countersign/protocol/trail';
import type { BalanceSide, BalanceWrite, EntryWrite, LimitWrite } from '../../store/committer/settlement.js';
import type { Place, StoredBalance, StoredLimit } from '../../store/money/books.js';
import type { Entry, Metric, Plan } from '../plan/plan.js';

/** A balance; one without a row yet has version 0. */
interface Balance {
  readonly version: number;
  readonly available: BalanceSide | undefined;
  readonly reserved: BalanceSide | undefined;
}

/** A limit of a wallet and symbol. */
export type Limit = Omit<StoredLimit, 'wallet' | 'symbol' | 'metric'>;

type LimitsByMetric = ReadonlyMap<Metric, Limit>;

/** A movement's change of a balance. */
export interface BalanceMovement extends Place {
  readonly availableBy: number;
  readonly reservedBy: number;
}

/** What makes a movement: an intent, the number of the change that says so, and the moment of it. */
export interface Cause {
  readonly intent: string;
  readonly change: number;
  /** ISO 8601. */
  readonly moment: string;
}

const NO_LIMITS: LimitsByMetric = new Map();
const NO_BALANCE: Balance = { version: 0, available: undefined, reserved: undefined };

/**
 * Balances and limits of a ledger as the database has them: what was read, and what batches have stored since. Only what is
 * stored changes them, so a batch that fails leaves nothing to be undone.
 */
export class StoredBooks {
  readonly #balances = new Map<string, Balance>();
  readonly #limits = new Map<string, LimitsByMetric>();

  /** The number of balances it holds. */
  get size(): number {
    return this.#balances.size;
  }

  /** Those of the places that it does not know, each once. */
  missing(places: readonly Place[]): Place[] {
    const missing = new Map<string, Place>();
    for (const place of places) if (!this.#balances.has(nameBalance(place))) missing.set(nameBalance(place), place);
    return [...missing.values()];
  }

  /** Adds what was read of these places; what it knows of others stays. */
  add(places: readonly Place[], balances: readonly StoredBalance[], limits: readonly StoredLimit[]): void {
    for (const place of this.missing(places)) {
      const of = (one: Place) => one.wallet === place.wallet && one.symbol === place.symbol;
      const stored = balances.find(of);
      this.#balances.set(nameBalance(place), stored ? withoutPlace(stored) : NO_BALANCE);
      const found = limits.filter(of);
      const entries = found.map(({ metric, ...limit }) => [metric as Metric, limit] as const);
      this.#limits.set(nameBalance(place), found.length === 0 ? NO_LIMITS : new Map(entries));
    }
  }

  balance(key: string): Balance {
    return this.#balances.get(key) ?? NO_BALANCE;
  }

  limits(key: string): LimitsByMetric {
    return this.#limits.get(key) ?? NO_LIMITS;
  }

  /** Adds what a batch has stored. */
  apply(balances: Iterable<readonly [string, Balance]>, limits: Iterable<readonly [string, LimitsByMetric]>): void {
    for (const [key, balance] of balances) this.#balances.set(key, balance);
    for (const [key, limit] of limits) this.#limits.set(key, limit);
  }
}

/**
 * The books of one batch: a layer of what it has read and changed, over the batch before it, which is being stored, and what is
 * stored. The layers beneath do not change meanwhile. A batch that fails is dropped with its layer, and with those above.
 */
export class Books {
  readonly #balances = new Map<string, Balance>();
  readonly #limits = new Map<string, LimitsByMetric>();
  /** Versions of what it has read or changed, as they were before it: the commit compares them. */
  readonly #read = new Map<string, { readonly place: Place; readonly was: number }>();
  readonly #readLimits = new Map<string, { readonly place: Place; readonly metric: Metric; readonly was: number }>();
  readonly #entries: EntryWrite[] = [];
  #isStored = false;
  #below: Books | undefined;

  /**
   * @param newLuid makes the luids of the rows that clients see
   * @param below of the batch before, while that is being stored
   */
  constructor(
    readonly newLuid: () => string,
    private readonly stored: StoredBooks,
    below?: Books,
  ) {
    this.#below = below;
  }

  /** The amount that is available. A decision that rests on it is void when it has changed meanwhile. */
  available(place: Place): number {
    return this.#look(place).available?.amount ?? 0;
  }

  reserved(place: Place): number {
    return this.#look(place).reserved?.amount ?? 0;
  }

  /** The limits of a wallet. A decision that rests on one is void when it has changed meanwhile. */
  limits(place: Place): LimitsByMetric {
    const limits = this.#limitsAt(nameBalance(place));
    for (const [metric, { version }] of limits) this.#lookAtLimit(place, metric, version);
    return limits;
  }

  /** A daily limit of a wallet. No balance tells when one is set, so a decision rests on there being none, too. */
  dailyLimit(place: Place, metric: 'dailyCount' | 'dailyAmount'): Limit | undefined {
    const limit = this.#limitsAt(nameBalance(place)).get(metric);
    this.#lookAtLimit(place, metric, limit?.version ?? 0);
    return limit;
  }

  /** Changes a balance. */
  move(movement: BalanceMovement, cause: Cause): void {
    const { availableBy, reservedBy } = movement;
    const before = this.#look(movement);
    const { moment } = cause;
    const available =
      availableBy !== 0 || !before.available ? this.#row(before.available, availableBy, moment) : before.available;
    const reserved = reservedBy === 0 ? before.reserved : this.#row(before.reserved, reservedBy, moment);
    this.#set(movement, before, available, reserved, cause);
  }

  /** Saves the available row again, as a limit on it does (interface/wallets#limits); makes one of 0 where there is none. */
  touch(place: Place, cause: Cause): void {
    const before = this.#look(place);
    const { wallet, symbol } = place;
    const available = this.#row(before.available, 0, cause.moment);
    this.#set({ wallet, symbol, availableBy: 0, reservedBy: 0 }, before, available, before.reserved, cause);
  }

  /** Sets a limit, or what counts against it. */
  setLimit(place: Place, metric: Metric, limit: Omit<Limit, 'version'>): void {
    const before = this.#limitsAt(nameBalance(place));
    const version = before.get(metric)?.version ?? 0;
    this.#lookAtLimit(place, metric, version);
    this.#limits.set(nameBalance(place), new Map(before).set(metric, { ...limit, version: version + 1 }));
  }

  /** All that the batch has read and changed, each balance and limit once. */
  changes(): { balances: BalanceWrite[]; entries: readonly EntryWrite[]; limits: LimitWrite[] } {
    const balances = [...this.#read].map(([key, { place, was }]): BalanceWrite => {
      const { wallet, symbol } = place;
      const { version, available = NO_ROW, reserved } = this.#balances.get(key)!;
      return { wallet, symbol, was, version, available, reserved };
    });
    const limits = [...this.#readLimits.values()].map(({ place, metric, was }) => {
      const limit = this.#limitsAt(nameBalance(place)).get(metric);
      return { ...place, metric, was, ...(limit ?? { version: 0, luid: '', amount: 0, used: 0, body: '' }) };
    });
    return { balances, entries: this.#entries, limits };
  }

  /** The batch is stored: what it has changed is what the database has. */
  commit(): void {
    this.stored.apply(this.#balances, this.#limits);
    this.#isStored = true;
    this.#below = undefined;
  }

  #look(place: Place): Balance {
    const key = nameBalance(place);
    const known = this.#balances.get(key);
    if (known) return known;
    const balance = this.#balanceAt(key);
    this.#balances.set(key, balance);
    this.#read.set(key, { place, was: balance.version });
    return balance;
  }

  #balanceAt(key: string): Balance {
    for (let layer: Books | undefined = this; layer; layer = layer.#layerBelow()) {
      const balance = layer.#balances.get(key);
      if (balance) return balance;
    }
    return this.stored.balance(key);
  }

  /** Limits of a place, which stay as they were read first: all decisions of the batch rest on the same. */
  #limitsAt(key: string): LimitsByMetric {
    const known = this.#limits.get(key);
    if (known) return known;
    const limits = this.#limitsBelow(key);
    this.#limits.set(key, limits);
    return limits;
  }

  #limitsBelow(key: string): LimitsByMetric {
    for (let layer = this.#layerBelow(); layer; layer = layer.#layerBelow()) {
      const limits = layer.#limits.get(key);
      if (limits) return limits;
    }
    return this.stored.limits(key);
  }

  /** The layer of the batch before, until that is stored. */
  #layerBelow(): Books | undefined {
    const below = this.#below;
    return below && !below.#isStored ? below : undefined;
  }

  #lookAtLimit(place: Place, metric: Metric, was: number): void {
    const key = `${nameBalance(place)} ${metric}`;
    if (!this.#readLimits.has(key)) this.#readLimits.set(key, { place, metric, was });
  }

  #row(before: BalanceSide | undefined, by: number, moment: string): BalanceSide {
    const luid = before?.luid ?? this.newLuid();
    return { amount: (before?.amount ?? 0) + by, luid, moment, isChanged: before !== undefined };
  }

  #set(
    movement: BalanceMovement,
    before: Balance,
    available: BalanceSide,
    reserved: BalanceSide | undefined,
    { intent, change, moment }: Cause,
  ): void {
    const { wallet, symbol, availableBy, reservedBy } = movement;
    const version = before.version + 1;
    this.#balances.set(nameBalance(movement), { version, available, reserved });
    // Members are named one by one: V8 is slow at adding members to what a spread has copied (decision 0026).
    this.#entries.push({
      wallet,
      symbol,
      version,
      intent,
      change,
      availableBy,
      reservedBy,
      available: available.amount,
      reserved: reserved?.amount,
      moment,
    });
  }
}

/** Without the place: every balance has the same shape. */
function withoutPlace({ version, available, reserved }: StoredBalance): Balance {
  return { version, available, reserved };
}

/** Stands for the row of a balance that was only read, and does not exist. */
const NO_ROW: BalanceSide = { amount: 0, luid: '', moment: '1970-01-01T00:00:00.000Z', isChanged: false };

/** Names a balance among those of a ledger. */
export function nameBalance({ wallet, symbol }: Place): string {
  return `${wallet} ${symbol}`;
}

/**
 * Changes the balances of all entries of an intent (interface/wallets#balances). What it changes of one balance is one
 * movement.
 */
export function moveEntries(books: Books, plan: Plan, action: Move, cause: Cause): void {
  const changes = new Map<string, { wallet: string; symbol: string; availableBy: number; reservedBy: number }>();
  for (const entry of plan.entries) {
    const { luid: wallet, symbol } = entry;
    const key = `${wallet} ${symbol}`;
    const change = changes.get(key) ?? { wallet, symbol, availableBy: 0, reservedBy: 0 };
    const [availableBy, reservedBy] = changeOf(plan, entry, action);
    change.availableBy += availableBy;
    change.reservedBy += reservedBy;
    changes.set(key, change);
  }
  for (const change of changes.values()) {
    if (change.availableBy !== 0 || change.reservedBy !== 0) books.move(change, cause);
  }
}

/** What an entry adds to the available and to the reserved amount. */
function changeOf({ isForward }: Plan, { side, amount }: Entry, action: Move): [number, number] {
  if (side === 'credit') return action === 'post' ? [amount, 0] : [0, 0];
  // What is forwarded has just arrived: it leaves as it came, and is never reserved.
  if (isForward) return action === 'post' ? [-amount, 0] : [0, 0];
  if (action === 'pending') return [-amount, amount];
  return action === 'void' ? [amount, -amount] : [0, -amount];
}
