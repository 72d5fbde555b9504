import { parseAddress, type RecordEnvelope, type StoredProof } from '@countersign/protocol';
import { ErasedIntents } from './erased/intents.js';
import { ErasedWallets } from './erased/wallets.js';
import type { Report } from './finding.js';
import type { LedgerKeys } from './keys.js';
import type { BalanceLine, EntryLine, LimitLine } from './lines.js';
import { type Movement, reportMovement, type SetLimit } from './movements.js';

/** A wallet, from its first to its last change. */
interface WalletLife {
  readonly luid: string;
  readonly from: string;
  readonly until?: string;
}

/** Verifies one signed row: hash and proofs. */
export type VerifySigned = (hash: string, data: RecordEnvelope['data'], proofs: readonly StoredProof[]) => boolean;

/**
 * Replays what the proofs of all intents have moved, and compares it with what the ledger says of its balances,
 * movements and limits.
 */
export class Books {
  readonly #moved = new Map<string, Movement>();
  readonly #limits: SetLimit[] = [];
  readonly #wallets = new Map<string, WalletLife[]>();
  readonly #handles = new Map<string, string>();
  readonly #erased = new ErasedWallets();
  /** Intents whose texts were erased. */
  readonly erasedIntents = new ErasedIntents();
  /** Balances as the ledger states them, by handle of the wallet and symbol. */
  readonly #stated = new Map<string, { available: number; reserved: number; luid: string }>();
  readonly #entered = new Map<string, EntryLine>();
  readonly #last = new Map<string, { version: number; available: number; reserved: number }>();
  /** Movements that were noted, and intents that set limits. */
  readonly #seen = new Set<string>();
  readonly #limiting = new Set<string>();
  /** Erased intents have moved what was in erased wallets: of what these were called, nobody knows all that they had. */
  #isMixed = false;
  #byWallet: ReadonlyMap<string, readonly SetLimit[]> | undefined;

  constructor(
    private readonly keys: LedgerKeys,
    private readonly report: Report,
    private readonly verify: VerifySigned,
  ) {}

  /** The number of movements that proofs tell of. */
  get movements(): number {
    return this.#moved.size;
  }

  /** Wallets whose texts were erased. */
  get erased(): number {
    return this.#erased.count;
  }

  /** A wallet of which nothing says what it was called. */
  addErased(luid: string): void {
    this.#erased.add(luid);
  }

  addWallet(handle: string, life: WalletLife): void {
    this.#handles.set(life.luid, handle);
    const lives = this.#wallets.get(handle);
    if (lives) lives.push(life);
    else this.#wallets.set(handle, [life]);
  }

  /** Whether the luid is that of a wallet of the handle. All wallets must have been added. */
  isWallet(luid: string, handle: string): boolean {
    return this.#handles.get(luid) === handle || this.#erased.has(luid);
  }

  addIntent({ moved, limits }: { readonly moved: readonly Movement[]; readonly limits: readonly SetLimit[] }): void {
    for (const movement of moved)
      this.#moved.set(`${movement.intent} ${movement.change} ${movement.wallet} ${movement.symbol}`, movement);
    for (const limit of limits) {
      this.#limits.push(limit);
      this.#limiting.add(limit.intent);
    }
  }

  /** A balance as the ledger states it. */
  addBalance({ wallet, symbol, version, available, reserved }: BalanceLine): void {
    const handle = this.#handles.get(wallet);
    const last = { version, available: available.amount, reserved: reserved?.amount ?? 0 };
    if (this.#erased.has(wallet)) {
      this.#last.set(`${wallet} ${symbol}`, last);
      if (available.amount !== 0 || (reserved?.amount ?? 0) !== 0)
        this.#about(wallet, `is erased, and has a balance of ${symbol}`);
      return;
    }
    if (handle === undefined) {
      this.#about(wallet, `has a balance of ${symbol}, and is no wallet of the ledger`);
      return;
    }
    const key = `${handle} ${symbol}`;
    const before = this.#stated.get(key) ?? { available: 0, reserved: 0 };
    this.#stated.set(key, {
      available: before.available + available.amount,
      reserved: before.reserved + (reserved?.amount ?? 0),
      luid: wallet,
    });
    this.#last.set(`${wallet} ${symbol}`, last);
  }

  /** A movement as the ledger has noted it: it follows from the one before, and a proof of its intent says so. */
  addEntry(entry: EntryLine): void {
    const { wallet, symbol, version, intent, change, availableBy, reservedBy } = entry;
    const place = { kind: 'intent', luid: intent, change };
    const key = `${wallet} ${symbol}`;
    const before = this.#entered.get(key);
    if (version !== (before?.version ?? 0) + 1)
      this.report(
        place,
        'money',
        `is movement ${version} of ${symbol} in ${wallet}, after movement ${before?.version ?? 0}`,
      );
    const isSum =
      entry.available === (before?.available ?? 0) + availableBy &&
      (entry.reserved ?? 0) === (before?.reserved ?? 0) + reservedBy;
    if (!isSum) this.report(place, 'money', `moves ${symbol} in ${wallet} to another amount than its sum`);
    this.#entered.set(key, entry);
    if (this.erasedIntents.has(intent)) {
      this.erasedIntents.addEntry(entry);
      return;
    }
    const said = `${intent} ${change} ${this.#handles.get(wallet)} ${symbol}`;
    const movement = this.#moved.get(said);
    // Setting a limit saves the balance again (interface/wallets#limits).
    if (availableBy === 0 && reservedBy === 0) {
      if (!this.#limiting.has(intent))
        this.report(place, 'money', `notes a movement of ${symbol} in ${wallet} that it did not make`);
      return;
    }
    if (this.#erased.has(wallet)) {
      this.#erased.addEntry(entry);
      return;
    }
    const isSaid =
      movement?.availableBy === availableBy && movement.reservedBy === reservedBy && movement.moment === entry.moment;
    if (!isSaid) {
      const noted = `${availableBy} available and ${reservedBy} reserved at ${entry.moment}`;
      const told = movement ? `${movement.availableBy} and ${movement.reservedBy} at ${movement.moment}` : 'none';
      this.report(
        place,
        'money',
        `has a movement of ${symbol} in ${wallet} noted, ${noted}, where its proofs tell ${told}`,
      );
    }
    this.#seen.add(said);
  }

  /** A limit as it is served: signed, and the one that was set last. */
  addLimit({ wallet, symbol, metric, amount, text }: LimitLine): void {
    const fault = (detail: string) => this.#about(wallet, `has a limit ${metric} of ${symbol} that ${detail}`);
    let row: Partial<RecordEnvelope>;
    try {
      row = JSON.parse(text) as Partial<RecordEnvelope>;
    } catch {
      fault('is no record');
      return;
    }
    const { hash, data, meta } = row;
    const handle = this.#handles.get(wallet);
    const isRow =
      data?.wallet === handle && data?.symbol === symbol && data?.metric === metric && data?.amount === amount;
    if (!isRow || typeof hash !== 'string' || !data || !Array.isArray(meta?.proofs)) {
      fault('says something else');
      return;
    }
    const [proof] = meta.proofs;
    const isSigned = proof?.public === this.keys.system && proof.custom?.moment === meta.moment;
    if (!isSigned || !this.verify(hash, data, meta.proofs)) {
      fault('its ledger has not signed');
      return;
    }
    const set = this.#setLimits().get(`${wallet} ${symbol} ${metric}`) ?? [];
    const latest = set.at(-1)?.moment;
    if (latest !== meta.moment && this.erasedIntents.takeLimit(`${wallet} ${symbol}`, metric, meta.moment, latest))
      return;
    if (!set.some((one) => one.moment === latest && one.amount === amount)) fault('no intent has set last');
  }

  /**
   * Replays all.
   *
   * @param isWhole whether all wallets, dropped ones included, and all movements that were noted must be there
   */
  end(isWhole: boolean): void {
    for (const { wallet, symbol, intent, change } of this.#erased.match(this.#moved, this.#seen))
      this.report(
        { kind: 'intent', luid: intent, change },
        'money',
        `has a movement of ${symbol} in ${wallet} noted, which is erased, and its proofs tell none like it`,
      );
    this.erasedIntents.end(this.report);
    this.#isMixed = this.erasedIntents.hasMovedIn((luid) => this.#erased.has(luid));
    const balances = this.#replay(isWhole);
    for (const [key, { available, reserved, symbol, wallet }] of balances) {
      const stated = this.#stated.get(key);
      if (stated?.available === available && stated.reserved === reserved) continue;
      if (!isWhole && !this.#wallets.has(wallet)) continue;
      if (this.#isMixed && this.#erased.mayBe(wallet)) continue;
      if (!stated && available === 0 && reserved === 0 && this.#erased.mayBe(wallet)) continue;
      const luid = stated?.luid ?? this.#wallets.get(wallet)?.at(-1)?.luid ?? wallet;
      const says = stated ? `${stated.available} available and ${stated.reserved} reserved` : 'nothing';
      this.#about(luid, `has ${says} of ${symbol}, where the proofs of intents give ${available} and ${reserved}`);
    }
    for (const [key, { available, reserved, luid }] of this.#stated) {
      if (!balances.has(key) && (available !== 0 || reserved !== 0))
        this.#about(luid, `has ${available} available and ${reserved} reserved, and no intent has moved any`);
    }
    if (isWhole) this.#compareEntries();
  }

  #compareEntries(): void {
    for (const [said, movement] of this.#moved) {
      if (!this.#seen.has(said))
        reportMovement(
          this.report,
          movement,
          `moves ${movement.symbol} in ${movement.wallet}, and no movement is noted`,
        );
    }
    for (const [key, last] of this.#last) {
      const entry = this.#entered.get(key);
      const isLast =
        entry?.version === last.version &&
        entry.available === last.available &&
        (entry.reserved ?? 0) === last.reserved;
      const [wallet = '', symbol = ''] = key.split(' ');
      if (!isLast) this.#about(wallet, `has a balance of ${symbol} that is not its last movement`);
    }
  }

  /** By the moments of the proofs. What is of one millisecond has no order, so it is looked at together. */
  #replay(isWhole: boolean): Map<string, Replayed> {
    const erased = this.erasedIntents.movements((luid) => this.#handles.get(luid));
    const moved = [...this.#moved.values(), ...erased].sort((one, other) => compare(one.moment, other.moment));
    const balances = new Map<string, Replayed>();
    let together: Movement[] = [];
    for (const movement of moved) {
      if (together[0] && together[0].moment !== movement.moment) {
        this.#judge(together, balances, isWhole);
        together = [];
      }
      together.push(movement);
      const { wallet, symbol, availableBy, reservedBy } = movement;
      const key = `${wallet} ${symbol}`;
      const balance = balances.get(key) ?? { available: 0, reserved: 0, wallet, symbol };
      balance.available += availableBy;
      balance.reserved += reservedBy;
      balances.set(key, balance);
    }
    this.#judge(together, balances, isWhole);
    return balances;
  }

  /** What the movements of one moment have left. */
  #judge(together: readonly Movement[], balances: ReadonlyMap<string, Replayed>, isWhole: boolean): void {
    for (const movement of together) {
      const { wallet, symbol, moment, isJudged } = movement;
      const { available, reserved } = balances.get(`${wallet} ${symbol}`)!;
      const fault = (detail: string) => reportMovement(this.report, movement, detail);
      if (isWhole && !this.#wallets.has(wallet) && !this.#erased.mayBe(wallet))
        fault(`moves ${symbol} in ${wallet}, which is no wallet of the ledger`);
      if (reserved < 0) fault(`takes more ${symbol} from ${wallet} than was reserved`);
      // The minimum of a wallet that is erased is that of an address of which nobody knows where it led.
      if (!isJudged || (this.#erased.mayBe(wallet) && (this.#isMixed || !this.#wallets.has(wallet)))) continue;
      if (this.erasedIntents.mayHaveSet(this.#lifeAt(wallet, moment)?.luid, symbol)) continue;
      const least = this.#leastAt(wallet, symbol, moment);
      if (available < least) fault(`leaves ${available} ${symbol} in ${wallet}, below its minimum of ${least}`);
    }
  }

  /** The wallet of that handle at that moment; clocks of servers differ, so else the one that was made next, or last. */
  #lifeAt(handle: string, moment: string): WalletLife | undefined {
    const lives = this.#wallets.get(handle) ?? [];
    const at = lives.find(({ from, until }) => from <= moment && (until === undefined || moment <= until));
    return at ?? lives.find(({ from }) => from > moment) ?? lives.at(-1);
  }

  /** Luid of the wallet that an address led to then (interface/wallets#routes). */
  #walletAt({ wallet, moment }: SetLimit): string | undefined {
    const { schema, parent } = parseAddress(wallet) ?? {};
    const candidates = [
      wallet,
      ...(schema !== undefined && parent !== undefined ? [`${schema}@${parent}`] : []),
      ...(parent === undefined ? [] : [parent]),
      ...(schema === undefined ? [] : [schema]),
    ];
    for (const handle of candidates) {
      const life = this.#lifeAt(handle, moment);
      if (life) return life.luid;
    }
    return undefined;
  }

  /** The least that a wallet could be left with: 0, or what was set last; of several at that moment the lowest. */
  #leastAt(handle: string, symbol: string, moment: string): number {
    const set = this.#setLimits().get(`${this.#lifeAt(handle, moment)?.luid} ${symbol} minBalance`) ?? [];
    const before = set.findLast((one) => one.moment < moment)?.amount ?? 0;
    return Math.min(before, ...set.filter((one) => one.moment === moment).map(({ amount }) => amount));
  }

  /** What intents have set, by wallet, symbol and metric, oldest first. All intents must have been added. */
  #setLimits(): ReadonlyMap<string, readonly SetLimit[]> {
    if (this.#byWallet) return this.#byWallet;
    const found = new Map<string, SetLimit[]>();
    for (const limit of [...this.#limits].sort((one, other) => compare(one.moment, other.moment))) {
      const key = `${this.#walletAt(limit)} ${limit.symbol} ${limit.metric}`;
      const set = found.get(key);
      if (set) set.push(limit);
      else found.set(key, [limit]);
    }
    this.#byWallet = found;
    return found;
  }

  #about(luid: string, detail: string): void {
    this.report({ kind: 'wallet', luid }, 'money', detail);
  }
}

interface Replayed {
  available: number;
  reserved: number;
  readonly wallet: string;
  readonly symbol: string;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
