import type { ReportFinding } from '../finding.js';
import { momentNumber } from '../kept/moment.js';
import type { EntryLine } from '../lines.js';

/** What is told of intents whose texts were erased: what rests on them was checked against no proof. */
export interface ErasedIntentsSummary {
  readonly intents: number;
  readonly movements: number;
  /** Limits whose row is signed, and that no intent is left to have set. */
  readonly limits: number;
  /** Balances that no proof is left to compare with: of handles that a wallet had whose texts were erased, too. */
  readonly uncompared: number;
  /** Wallets whose minimum was not judged, since one may have set it. */
  readonly unjudged: number;
  /** What they have brought into the ledger of each symbol, less what they took out; a text where no number is exact. */
  readonly net: Readonly<Record<string, number | string>>;
  /** The first of those that have moved something, by luid, with the number of movements. */
  readonly moved: readonly (readonly [luid: string, movements: number])[];
}

/** Intents that are named in the summary. */
const INTENTS_NAMED = 100;

/** An intent moves what it reserves, and once more: changes that movements may be of. */
const BOOKED = 2;

/** Marks of limits that were set at one place. */
interface Marks {
  readonly moments: Set<string>;
  /** The code of the earliest. */
  first: number;
}

interface ErasedIntent {
  /** Number of the change that says so; undefined where none does, which is a finding of its own. */
  statement?: number;
  readonly entries: EntryLine[];
}

/**
 * Intents whose texts were erased. Nothing signed tells any more what they moved: movements that are noted of them are taken
 * as they are, as far as they could be those of an intent that has ended, and are counted and told of.
 */
export class ErasedIntents {
  readonly #intents = new Map<string, ErasedIntent>();
  /** Places, by luid of the wallet and symbol, where one may have set a limit. */
  readonly #setting = new Map<string, Marks>();
  /** Wallets whose minimum was asked for, and that one may have set. */
  readonly #unjudged = new Set<string>();
  #uncompared = 0;
  #movements = 0;
  #limits = 0;

  add(luid: string): void {
    this.#intents.set(luid, { entries: [] });
  }

  /** @param change that says that it is erased */
  state(luid: string, change: number): void {
    const intent = this.#intents.get(luid);
    if (intent) intent.statement = change;
  }

  has(luid: string): boolean {
    return this.#intents.has(luid);
  }

  /** Takes a movement that is noted of one. Of 0, it is the mark of a limit that was set (interface/wallets#limits). */
  addEntry(entry: EntryLine): void {
    const { wallet, symbol, moment } = entry;
    this.#intents.get(entry.intent)!.entries.push(entry);
    if (isMoving(entry)) {
      this.#movements += 1;
      return;
    }
    const code = momentNumber(moment);
    if (code === 0) return;
    const key = `${wallet} ${symbol}`;
    const marks = this.#setting.get(key) ?? { moments: new Set(), first: code };
    marks.moments.add(moment);
    marks.first = Math.min(marks.first, code);
    this.#setting.set(key, marks);
  }

  /**
   * Whether one may have set the minimum of a wallet by then; the wallet is counted then.
   *
   * @param luidOf asked only where one has set any
   * @param moment its code
   */
  mayHaveSet(luidOf: () => string, symbol: string, moment: number): boolean {
    if (this.#setting.size === 0) return false;
    const luid = luidOf();
    const marks = this.#setting.get(`${luid} ${symbol}`);
    if (!marks || moment < marks.first) return false;
    this.#unjudged.add(luid);
    return true;
  }

  /** Counts a balance that cannot be compared for want of them. */
  passBalance(): void {
    this.#uncompared += 1;
  }

  /**
   * Whether one may have set a limit, whose row the ledger has signed, last; it is counted then.
   *
   * @param latest moment at which an intent that is there has set it
   */
  takeLimit(place: string, metric: string, moment: string, latest: string | undefined): boolean {
    const isMarked = metric.startsWith('daily')
      ? this.#intents.size > 0
      : this.#setting.get(place)?.moments.has(moment) === true;
    if (!isMarked || (latest !== undefined && moment < latest)) return false;
    this.#limits += 1;
    return true;
  }

  /** Their movements, by intent. */
  moved(): readonly (readonly [luid: string, entries: readonly EntryLine[]])[] {
    return [...this.#intents].map(([luid, { entries }]) => [luid, entries.filter(isMoving)] as const);
  }

  /** What they have moved in such wallets. */
  symbolsIn(isOf: (luid: string) => boolean): Set<string> {
    const moving = this.#entries().filter((entry) => isMoving(entry) && isOf(entry.wallet));
    return new Set(moving.map(({ symbol }) => symbol));
  }

  /** Reports movements that no intent which has ended can have made. */
  end(report: ReportFinding): void {
    for (const [luid, { statement, entries }] of this.#intents) {
      const fault = (change: number, detail: string) => report({ kind: 'intent', luid, change }, 'money', detail);
      const changes = [...new Set(entries.map(({ change }) => change))].sort((one, other) => one - other);
      const last = changes.at(-1) ?? 0;
      if (statement !== undefined && last >= statement)
        fault(last, `has a movement noted, and was erased by change ${statement}`);
      if (changes.length > BOOKED) fault(last, `has movements noted at ${changes.length} changes`);
      for (const { change, symbol, wallet, moment } of entries)
        if (change < 1 || momentNumber(moment) === 0)
          fault(
            change,
            `has a movement of ${symbol} in ${wallet} noted at change ${change} and '${moment.slice(0, 40)}'`,
          );
      const places = new Set(
        entries.filter(isMoving).map((entry) => `${entry.wallet} ${entry.symbol} ${entry.change}`),
      );
      if (places.size < entries.filter(isMoving).length)
        fault(last, 'is erased, and has two movements noted of one wallet at one change');
      for (const { change, symbol, wallet, availableBy, reservedBy } of entries)
        if (change !== last && (reservedBy <= 0 || availableBy !== -reservedBy))
          fault(change, `has a movement of ${symbol} in ${wallet} noted that reserves nothing, before its last one`);
      for (const [place, reserved] of sumReserved(entries))
        if (reserved !== 0) fault(last, `is erased, and leaves ${reserved} reserved of ${place}`);
    }
  }

  /** Undefined where there are none. */
  get summary(): ErasedIntentsSummary | undefined {
    if (this.#intents.size === 0) return undefined;
    const sums = new Map<string, bigint>();
    for (const { symbol, availableBy, reservedBy } of this.#entries())
      sums.set(symbol, (sums.get(symbol) ?? 0n) + BigInt(availableBy) + BigInt(reservedBy));
    const net = Object.fromEntries([...sums].map(([symbol, sum]) => [symbol, toJsonNumber(sum)]));
    // A movement of 0 marks a limit.
    const moved = [...this.#intents]
      .map(([luid, { entries }]) => [luid, entries.filter(isMoving).length] as const)
      .filter(([, movements]) => movements > 0)
      .slice(0, INTENTS_NAMED);
    return {
      intents: this.#intents.size,
      movements: this.#movements,
      limits: this.#limits,
      uncompared: this.#uncompared,
      unjudged: this.#unjudged.size,
      net,
      moved,
    };
  }

  #entries(): EntryLine[] {
    return [...this.#intents.values()].flatMap(({ entries }) => entries);
  }
}

function isMoving({ availableBy, reservedBy }: EntryLine): boolean {
  return availableBy !== 0 || reservedBy !== 0;
}

function toJsonNumber(sum: bigint): number | string {
  const number = Number(sum);
  return Number.isSafeInteger(number) ? number : String(sum);
}

/** What is reserved in the end, by symbol and wallet. */
function sumReserved(entries: readonly EntryLine[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { symbol, wallet, reservedBy } of entries) {
    const place = `${symbol} in ${wallet}`;
    sums.set(place, (sums.get(place) ?? 0) + reservedBy);
  }
  return sums;
}

/** What could not be checked for want of them. */
export function sentenceOnErasedIntents(summary: ErasedIntentsSummary | undefined): string | undefined {
  if (!summary) return undefined;
  const { intents, movements, limits, net } = summary;
  const sums = Object.entries(net)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([symbol, amount]) => `${amount} ${symbol}`);
  return (
    `What ${intents} intents whose texts were erased were for: ${movements} movements and ${limits} limits rest on them` +
    `${sums.length > 0 ? `, which bring in ${sums.join(', ')} in sum` : ''}. No proof is left that tells of these.`
  );
}
