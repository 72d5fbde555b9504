import { ErasedIntents } from './erased/intents.js';
import { ErasedWallets } from './erased/wallets.js';
import type { ReportFinding } from './finding.js';
import { AccountAmounts, Accounts, Symbols } from './kept/accounts.js';
import { Column } from './kept/column.js';
import { Lives } from './kept/lives.js';
import { momentNumber, momentText } from './kept/moment.js';
import { type MovedRow, MovedRows } from './kept/moved-rows.js';
import type { Records } from './kept/records.js';
import { type TextNumbers, uniqueName } from './kept/text-numbers.js';
import type { LedgerKeys } from './keys.js';
import type { BalanceLine, EntryLine, LimitLine } from './lines.js';
import type { ProvenMovement, SetLimit } from './movements.js';
import type { RegistryDeps } from './registry.js';
import { Limits, type VerifySigned } from './wallet-limits.js';

/**
 * Replays what the proofs of all intents have moved, and compares it with what the ledger says of its balances,
 * movements and limits. Of movements and balances it keeps numbers: of records, of names, of accounts.
 */
export class BookReplay {
  readonly #records: Records;
  readonly #names: TextNumbers;
  readonly #moved = new MovedRows();
  readonly #limits: Limits;
  readonly #lives: Lives;
  readonly #symbols: Lives;
  readonly #erased = new ErasedWallets();
  #hasErasedSymbols = false;
  readonly erasedIntents = new ErasedIntents();
  /** What erased intents have moved in erased wallets: of what these were called, nobody knows all that they had of it. */
  #mixed: ReadonlySet<string> = new Set();
  /** Movements that proofs tell of, before those of erased intents were added. */
  #told: number | undefined;
  /** By names of wallets: what proofs give, and balances as the ledger states them, of which wallet and 1 more. */
  readonly #named: Accounts;
  readonly #given = new AccountAmounts();
  readonly #stated = new AccountAmounts();
  /** By wallets: the last movement that was noted, and the balance as it is stated; of which version. */
  readonly #owned: Accounts;
  readonly #entered = new AccountAmounts();
  readonly #last = new AccountAmounts();
  /** 1 where a balance is stated. */
  readonly #hasLast = new Column('int32');
  /** 1 for wallets and symbols that were dropped. */
  readonly #dropped = new Column('int32');

  constructor(
    keys: LedgerKeys,
    private readonly report: ReportFinding,
    verify: VerifySigned,
    { records, names, suite }: RegistryDeps,
  ) {
    this.#records = records;
    this.#names = names;
    this.#lives = new Lives((record) => records.bornAt(record));
    const hasErasedWallets = () => this.#erased.count > 0;
    const hasErasedSymbols = () => this.#hasErasedSymbols;
    this.#symbols = new Lives((record) => records.bornAt(record));
    const isDropped = (record: number) => this.#dropped.get(record) === 1;
    const kept = { lives: this.#lives, symbols: this.#symbols };
    this.#limits = new Limits(keys, verify, { records, names, ...kept, isDropped, hasErasedWallets, hasErasedSymbols });
    const symbols = new Symbols();
    this.#named = new Accounts(suite, symbols);
    this.#owned = new Accounts(suite, symbols);
  }

  /** The number of movements that proofs tell of. */
  get movements(): number {
    return this.#told ?? this.#moved.count;
  }

  /** Wallets whose texts were erased. */
  get erased(): number {
    return this.#erased.count;
  }

  /** What rests on limits of earlier symbols of the same handle. */
  get outlived(): Limits['outlived'] {
    return this.#limits.outlived;
  }

  /** A wallet or symbol of which nothing says what it was called. */
  addErased(kind: 'wallet' | 'symbol', luid: string): void {
    if (kind === 'wallet') this.#erased.add(luid);
    else this.#hasErasedSymbols = true;
  }

  /** A wallet or symbol, with the moments of its first and its last change; the last one where it was dropped. */
  addNamed(
    kind: 'wallet' | 'symbol',
    handle: string,
    luid: string,
    { from, until = Number.POSITIVE_INFINITY }: { from: number; until?: number | undefined },
  ): void {
    const record = this.#records.numberOf(luid);
    const lives = kind === 'wallet' ? this.#lives : this.#symbols;
    lives.add(this.#names.put(uniqueName(kind, handle)), { record, from, until });
    if (until !== Number.POSITIVE_INFINITY) this.#dropped.set(record, 1);
  }

  /** Whether the luid is that of a wallet of the handle. All wallets must have been added. */
  isWallet(luid: string, handle: string): boolean {
    return this.#limits.isNamed(luid, handle) || this.#erased.has(luid);
  }

  addIntent(luid: string, moved: readonly ProvenMovement[], limits: readonly SetLimit[]): void {
    const intent = this.#records.numberOf(luid);
    this.#moved.add(
      intent,
      moved.map((movement) => ({ ...movement, ...this.#placeOf(movement), intent })),
    );
    for (const limit of limits) this.#limits.add(limit);
  }

  #placeOf({ wallet, symbol, moment }: ProvenMovement): Pick<MovedRow, 'account' | 'moment'> {
    const name = this.#names.put(uniqueName('wallet', wallet));
    return { account: this.#named.put(name, symbol, wallet), moment: momentNumber(moment) };
  }

  /** A balance as the ledger states it. */
  addBalance({ wallet, symbol, version, available, reserved }: BalanceLine): void {
    const record = this.#records.numberOf(wallet);
    const name = this.#lives.nameOf(record);
    const isErased = this.#erased.has(wallet);
    if (!isErased && name < 0) {
      this.#about(wallet, `has a balance of ${symbol}, and is not a wallet of the ledger`);
      return;
    }
    const account = this.#owned.put(record, symbol);
    if (this.#hasLast.get(account) === 1) this.#about(wallet, `has two balances of ${symbol}`);
    this.#last.set(account, available.amount, reserved?.amount ?? 0, version);
    this.#hasLast.set(account, 1);
    if (!isErased) this.#stated.add(this.#named.put(name, symbol), available.amount, reserved?.amount ?? 0, record + 1);
    // Balances are compared by handle: what one of its wallets lacks would make up for what another has too much.
    const isGone = isErased || this.#dropped.get(record) === 1;
    if (isGone && (available.amount !== 0 || (reserved?.amount ?? 0) !== 0))
      this.#about(wallet, `is ${isErased ? 'erased' : 'dropped'}, and has a balance of ${symbol}`);
  }

  /** A movement as the ledger has noted it: it follows from the one before, and a proof of its intent says so. */
  addEntry(entry: EntryLine): void {
    const { wallet, symbol, version, intent, change, availableBy, reservedBy } = entry;
    const place = { kind: 'intent', luid: intent, change };
    const record = this.#records.numberOf(wallet);
    if (this.#lives.nameOf(record) < 0 && !this.#erased.has(wallet)) {
      this.report(
        place,
        'money',
        `has a movement of ${symbol} noted in ${wallet}, which is not a wallet of the ledger`,
      );
      return;
    }
    const account = this.#owned.put(record, symbol);
    const before = this.#entered.of(account);
    if (version !== before + 1)
      this.report(place, 'money', `is movement ${version} of ${symbol} in ${wallet}, after movement ${before}`);
    const isSum =
      entry.available === this.#entered.availableOf(account) + availableBy &&
      (entry.reserved ?? 0) === this.#entered.reservedOf(account) + reservedBy;
    if (!isSum) this.report(place, 'money', `moves ${symbol} in ${wallet} to another amount than its sum`);
    this.#entered.set(account, entry.available, entry.reserved ?? 0, version);
    if (this.erasedIntents.has(intent)) {
      this.erasedIntents.addEntry(entry);
      return;
    }
    // Setting a limit saves the balance again (interface/wallets#limits).
    if (availableBy === 0 && reservedBy === 0) {
      if (!this.#limits.isSetBy(intent))
        this.report(place, 'money', `notes a movement of ${symbol} in ${wallet} that it did not make`);
      return;
    }
    if (this.#erased.has(wallet)) {
      this.#erased.addEntry(entry);
      return;
    }
    const said = this.#named.find(this.#lives.nameOf(record), symbol);
    const row = this.#moved.find(this.#records.numberOf(intent), change, said);
    const movement = row < 0 ? undefined : this.#moved.get(row);
    const moment = momentNumber(entry.moment);
    const isSaid =
      movement?.availableBy === availableBy && movement.reservedBy === reservedBy && movement.moment === moment;
    if (!isSaid || moment === 0) {
      const noted = `${availableBy} available and ${reservedBy} reserved at ${entry.moment}`;
      const told = movement
        ? `${movement.availableBy} and ${movement.reservedBy} at ${momentText(movement.moment)}`
        : 'none';
      this.report(
        place,
        'money',
        `has a movement of ${symbol} in ${wallet} noted, ${noted}, where its proofs tell ${told}`,
      );
    }
    if (row < 0) return;
    if (this.#moved.isSeen(row)) this.report(place, 'money', `has a movement of ${symbol} in ${wallet} noted twice`);
    this.#moved.see(row);
  }

  /** A limit as it is served: signed, and the one that was set last. */
  addLimit(line: LimitLine): void {
    const defect = this.#limits.defectOf(line, this.erasedIntents);
    if (defect !== undefined) this.#about(line.wallet, `has a limit ${line.metric} of ${line.symbol} that ${defect}`);
  }

  /**
   * Replays all.
   *
   * @param isWhole whether all wallets, dropped ones included, and all movements that were noted must be there
   */
  end(isWhole: boolean): void {
    const stray = this.#erased.match(this.#moved, this.#named, this.#records, this.#lives);
    for (const { wallet, symbol, intent, change } of stray)
      this.report(
        { kind: 'intent', luid: intent, change },
        'money',
        `has a movement of ${symbol} in ${wallet} noted, which is erased, and its proofs tell none like it`,
      );
    this.#takeErased();
    this.#replay(isWhole);
    for (let account = 0; account < this.#named.count; account += 1) this.#compareBalance(account, isWhole);
    if (!isWhole) return;
    this.#compareEntries();
    for (const { wallet, symbol, metric } of this.#limits.missing())
      this.#about(this.#records.luidOf(wallet), `lacks its limit ${metric} of ${symbol}, which an intent has set`);
  }

  /** Movements of erased intents are replayed as they are noted; no proof says so. */
  #takeErased(): void {
    this.#told = this.#moved.count;
    this.erasedIntents.end(this.report);
    this.#mixed = this.erasedIntents.symbolsIn((luid) => this.#erased.has(luid));
    for (const [luid, entries] of this.erasedIntents.moved()) {
      const intent = this.#records.numberOf(luid);
      const moved = entries.flatMap(({ wallet, symbol, change, availableBy, reservedBy, moment }): MovedRow[] => {
        const name = this.#lives.nameOf(this.#records.numberOf(wallet));
        if (name < 0) return [];
        const account = this.#named.put(name, symbol);
        return [
          { intent, account, change, availableBy, reservedBy, moment: momentNumber(moment), isJudged: reservedBy > 0 },
        ];
      });
      this.#moved.add(intent, moved);
    }
    for (let row = this.#told; row < this.#moved.count; row += 1) this.#moved.see(row);
  }

  /** What the ledger states of a balance with what proofs give. */
  #compareBalance(account: number, isWhole: boolean): void {
    const name = this.#named.ownerOf(account);
    const symbol = this.#named.symbolOf(account);
    const [available, reserved] = [this.#given.availableOf(account), this.#given.reservedOf(account)];
    const [stated, held] = [this.#stated.availableOf(account), this.#stated.reservedOf(account)];
    const record = this.#stated.of(account) - 1;
    if (this.#given.of(account) === 0) {
      if (stated !== 0 || held !== 0)
        this.#about(
          this.#records.luidOf(record),
          `has ${stated} available and ${held} reserved, and no intent has moved any`,
        );
      return;
    }
    if (record >= 0 && stated === available && held === reserved) return;
    if (!isWhole && !this.#lives.has(name)) return;
    if (this.#isMixed(account)) {
      this.erasedIntents.passBalance();
      return;
    }
    if (record < 0 && available === 0 && reserved === 0 && this.#erased.mayBe(name)) return;
    const wallet = record < 0 ? this.#lives.last(name) : record;
    const luid = wallet === undefined ? this.#named.textOf(account) : this.#records.luidOf(wallet);
    const says = record < 0 ? 'nothing' : `${stated} available and ${held} reserved`;
    this.#about(luid, `has ${says} of ${symbol}, where the proofs of intents give ${available} and ${reserved}`);
  }

  #compareEntries(): void {
    for (let row = 0; row < this.#moved.count; row += 1) {
      if (this.#moved.isSeen(row)) continue;
      const { account } = this.#moved.get(row);
      const [symbol, wallet] = [this.#named.symbolOf(account), this.#named.textOf(account)];
      this.#aboutMoved(row, `moves ${symbol} in ${wallet}, and no movement is noted`);
    }
    for (let account = 0; account < this.#owned.count; account += 1) {
      if (this.#hasLast.get(account) === 0) {
        this.#compareEmpty(account);
        continue;
      }
      const isLast =
        this.#entered.of(account) === this.#last.of(account) &&
        this.#entered.availableOf(account) === this.#last.availableOf(account) &&
        this.#entered.reservedOf(account) === this.#last.reservedOf(account);
      const wallet = this.#records.luidOf(this.#owned.ownerOf(account));
      if (!isLast)
        this.#about(wallet, `has a balance of ${this.#owned.symbolOf(account)} that is not its last movement`);
    }
  }

  /** Without a balance that is stated, nothing is left. */
  #compareEmpty(account: number): void {
    const [available, reserved] = [this.#entered.availableOf(account), this.#entered.reservedOf(account)];
    if (available === 0 && reserved === 0) return;
    const left = `${available} available and ${reserved} reserved of ${this.#owned.symbolOf(account)}`;
    this.#about(this.#records.luidOf(this.#owned.ownerOf(account)), `is left with ${left}, and has no balance`);
  }

  /** Whether an erased intent may have moved what an erased wallet, which was called so, had of the symbol. */
  #isMixed(account: number): boolean {
    return this.#mixed.has(this.#named.symbolOf(account)) && this.#erased.mayHold(account);
  }

  /** By the moments of the proofs. What is of one millisecond has no order, so it is looked at together. */
  #replay(isWhole: boolean): void {
    let together: number[] = [];
    let before = 0;
    for (const row of this.#moved.byMoment()) {
      const { account, moment, availableBy, reservedBy } = this.#moved.get(row);
      if (moment !== before) {
        this.#judge(together, isWhole);
        together = [];
      }
      before = moment;
      together.push(row);
      this.#given.add(account, availableBy, reservedBy, 1);
    }
    this.#judge(together, isWhole);
  }

  /** What the movements of one moment have left. */
  #judge(together: readonly number[], isWhole: boolean): void {
    if (isWhole) this.#judgeUnreserved(together);
    for (const row of together) {
      const { account, moment, isJudged } = this.#moved.get(row);
      const name = this.#named.ownerOf(account);
      const [symbol, isThere] = [this.#named.symbolOf(account), this.#lives.has(name)];
      const available = this.#given.availableOf(account);
      const fault = (detail: (wallet: string) => string) => this.#aboutMoved(row, detail(this.#named.textOf(account)));
      if (isWhole && !isThere && !this.#erased.mayBe(name))
        fault((wallet) => `moves ${symbol} in ${wallet}, which is not a wallet of the ledger`);
      if (this.#given.reservedOf(account) < 0)
        fault((wallet) => `takes more ${symbol} from ${wallet} than was reserved`);
      // The minimum of a wallet that is erased is that of an address of which nobody knows where it led.
      if (!isJudged || this.#isMixed(account)) continue;
      if (this.#erased.mayBe(name) && !this.#lives.isLived(name, moment)) continue;
      if (this.erasedIntents.mayHaveSet(() => this.#luidAt(name, moment), symbol, moment)) continue;
      const least = this.#limits.leastAt(name, symbol, moment);
      if (available < least && !this.#limits.wasAllowed(name, symbol, moment, available))
        fault((wallet) => `leaves ${available} ${symbol} in ${wallet}, below its minimum of ${least}`);
    }
  }

  /** What leaves a wallet without being reserved has arrived at the same moment (interface/intents#forwarding). */
  #judgeUnreserved(together: readonly number[]): void {
    const isDebit = ({ availableBy, reservedBy }: MovedRow) => availableBy < 0 && reservedBy === 0;
    if (!together.some((row) => isDebit(this.#moved.get(row)))) return;
    const left = new Map<number, number>();
    for (const row of together) {
      const { account, availableBy, isJudged } = this.#moved.get(row);
      if (!isJudged) left.set(account, (left.get(account) ?? 0) + availableBy);
    }
    for (const row of together) {
      const moved = this.#moved.get(row);
      const { account } = moved;
      if (!isDebit(moved) || left.get(account)! >= 0 || this.#isMixed(account)) continue;
      const [symbol, wallet] = [this.#named.symbolOf(account), this.#named.textOf(account)];
      this.#aboutMoved(row, `takes ${symbol} from ${wallet} that was not reserved`);
    }
  }

  #luidAt(name: number, moment: number): string {
    const record = this.#lives.at(name, moment);
    return record === undefined ? '' : this.#records.luidOf(record);
  }

  #aboutMoved(row: number, detail: string): void {
    const { intent, change } = this.#moved.get(row);
    this.report({ kind: 'intent', luid: this.#records.luidOf(intent), change }, 'money', detail);
  }

  #about(luid: string, detail: string): void {
    this.report({ kind: 'wallet', luid }, 'money', detail);
  }
}
