import { isObject, parseAddress, type RecordEnvelope, readJson, type StoredProof } from '@countersign/protocol';
import type { ErasedIntents } from './erased/intents.js';
import type { Lives } from './kept/lives.js';
import { momentNumber } from './kept/moment.js';
import type { Records } from './kept/records.js';
import { type TextNumbers, uniqueName } from './kept/text-numbers.js';
import type { LedgerKeys } from './keys.js';
import type { LimitLine } from './lines.js';
import type { SetLimit } from './movements.js';
import { isMomentText, proofDefect } from './version.js';

/** Verifies one signed row: hash and proofs. */
export type VerifySigned = (hash: string, data: RecordEnvelope['data'], proofs: readonly StoredProof[]) => boolean;

/** A limit that an intent has set, and the codes of its moments. */
interface LimitSet extends SetLimit {
  readonly code: number;
  readonly resolvedCode: number;
}

/** What was set at one moment. */
interface SettingStep {
  readonly code: number;
  /** The intent that was added last. */
  intent: string;
  /** The lowest that may be in force unless that intent was the last one. */
  others: number;
  /** The lowest that may be in force afterwards. */
  last: number;
  /** The lowest of all. */
  lowest: number;
}

/** What was set of one wallet, symbol and metric. */
interface LimitSetting extends Pick<SetLimit, 'symbol' | 'metric'> {
  /** The record; where an erased wallet may have had the handle, another one that has it. Undefined where none has it. */
  readonly wallet: number | undefined;
  /** The symbol that had the handle when it was set: limits end with it. Undefined where an erased one may have had it. */
  readonly of: number | undefined;
  /** Whether the wallet was there under that handle when one was set. */
  isOwnHandle: boolean;
  readonly steps: SettingStep[];
  /** The latest moment, and all amounts that were set then: nobody knows their order. Empty where none is sure. */
  moment: string;
  /** With these, all that was set since, and may be an erased wallet's. */
  latest: Set<number>;
  /** Whether the ledger has its row. */
  isStated: boolean;
}

/** What is looked up for limits. */
export interface LimitDeps {
  readonly records: Records;
  readonly names: TextNumbers;
  readonly lives: Lives;
  readonly symbols: Lives;
  /** Whether a record was dropped. */
  isDropped(record: number): boolean;
  /** Whether wallets were erased: nobody knows their handles. */
  hasErasedWallets(): boolean;
  /** The same of symbols. */
  hasErasedSymbols(): boolean;
}

/** Limits that intents have set, and what the ledger says of them. */
export class Limits {
  readonly #all: LimitSet[] = [];
  /** Intents that set limits. */
  readonly #intents = new Set<string>();
  #byPlace: ReadonlyMap<string, LimitSetting> | undefined;
  /** Rows of limits that no intent has set, which an erased one may have. */
  readonly #others = new Set<string>();
  /** What was set under a handle, whichever symbol had it. */
  readonly #byHandle = new Map<string, LimitSetting[]>();
  /** Limits of an earlier symbol of the handle that count here, or are stated: releases up to 0.2.0 kept them. */
  readonly #outlived = { movements: 0, limits: 0 };

  constructor(
    private readonly keys: LedgerKeys,
    private readonly verify: VerifySigned,
    private readonly deps: LimitDeps,
  ) {}

  /** What counts by limits of earlier symbols of the same handle: movements, and limits that the ledger states. */
  get outlived(): { readonly movements: number; readonly limits: number } {
    return this.#outlived;
  }

  add(limit: SetLimit): void {
    this.#all.push({ ...limit, code: momentNumber(limit.moment), resolvedCode: momentNumber(limit.resolved) });
    this.#intents.add(limit.intent);
  }

  /** Whether the intent has set any. */
  isSetBy(intent: string): boolean {
    return this.#intents.has(intent);
  }

  /** What is wrong with a limit as it is served: it is signed, and the one that was set last. */
  defectOf({ wallet, symbol, metric, amount, text }: LimitLine, erased: ErasedIntents): string | undefined {
    const row = parseRow(text);
    if (!row) return 'is not a record';
    const { hash, data, meta } = row;
    const isRow =
      typeof data.wallet === 'string' &&
      this.isNamed(wallet, data.wallet) &&
      data.symbol === symbol &&
      data.metric === metric &&
      data.amount === amount;
    if (!isRow) return 'says something else';
    const [proof] = meta.proofs;
    const isSigned = proof?.public === this.keys.system && proof.custom?.moment === meta.moment;
    if (!isSigned || !this.#isVerified(hash, data, meta.proofs)) return 'its ledger has not signed';
    const of = this.deps.symbols.current(this.#nameOf('symbol', symbol));
    const record = this.deps.records.numberOf(wallet);
    const key = limitKey(record, symbol, of, metric);
    const set = this.#setLimits().get(key) ?? this.#earlierOf(record, symbol, metric, meta.moment);
    if (set && (set.of === undefined || set.of !== of || this.deps.isDropped(set.of))) this.#outlived.limits += 1;
    if (set?.isStated || this.#others.has(key)) return 'stands there twice';
    if (set) set.isStated = true;
    else this.#others.add(key);
    if (set?.moment !== meta.moment && erased.takeLimit(`${wallet} ${symbol}`, metric, meta.moment, set?.moment))
      return undefined;
    return set?.latest.has(amount) ? undefined : 'no intent has set last';
  }

  /** Limits that intents have set, and of which the ledger has no row: the wallet as a record, symbol and metric. */
  missing(): { readonly wallet: number; readonly symbol: string; readonly metric: string }[] {
    return [...this.#setLimits().values()].flatMap(({ wallet, symbol, of, metric, isStated, isOwnHandle }) => {
      const mayHaveEnded = of === undefined || this.deps.isDropped(of);
      return isStated || !isOwnHandle || wallet === undefined || mayHaveEnded ? [] : [{ wallet, symbol, metric }];
    });
  }

  /** The least that a wallet could be left with: 0, or what was set last; of several at that moment the lowest. */
  leastAt(name: number, symbol: string, moment: number): number {
    const limits = this.#setLimits();
    if (limits.size === 0) return 0;
    const { lives } = this.deps;
    const of = this.#symbolAt(symbol, moment);
    const { steps } = limits.get(limitKey(lives.at(name, moment), symbol, of, 'minBalance')) ?? NOTHING_SET;
    let at = 0;
    for (let end = steps.length; at < end; ) {
      const middle = (at + end) >>> 1;
      if (steps[middle]!.code < moment) at = middle + 1;
      else end = middle;
    }
    const before = steps[at - 1]?.last ?? 0;
    const now = steps[at];
    return now?.code === moment ? Math.min(before, now.lowest) : before;
  }

  /**
   * Whether an earlier symbol of the handle had a limit that allows a wallet to be left with so much, and nothing has been set for
   * the later one: releases up to 0.2.0 let it count. It is counted.
   */
  wasAllowed(name: number, symbol: string, moment: number, available: number): boolean {
    const wallet = this.deps.lives.at(name, moment);
    const of = this.#symbolAt(symbol, moment);
    const places = this.#byHandle.get(`${wallet} ${symbol} minBalance`) ?? [];
    const isSet = ({ steps }: LimitSetting) => steps.some(({ code }) => code <= moment);
    if (places.some((place) => place.of === of && isSet(place))) return false;
    const isAllowed = places.some(({ steps }) =>
      steps.some(({ code, lowest }) => code <= moment && lowest <= available),
    );
    if (isAllowed) this.#outlived.movements += 1;
    return isAllowed;
  }

  /** What was set last for an earlier symbol of the handle, at that moment. */
  #earlierOf(wallet: number, symbol: string, metric: string, moment: string): LimitSetting | undefined {
    return this.#byHandle.get(`${wallet} ${symbol} ${metric}`)?.find((place) => place.moment === moment);
  }

  /** Whether the wallet is one of the handle, and not erased. */
  isNamed(luid: string, handle: string): boolean {
    const name = this.deps.lives.nameOf(this.deps.records.numberOf(luid));
    return name >= 0 && name === this.#nameOf('wallet', handle);
  }

  /** What cannot be hashed, as half of a character, was signed by nobody. */
  #isVerified(...signed: Parameters<VerifySigned>): boolean {
    try {
      return this.verify(...signed);
    } catch {
      return false;
    }
  }

  /** What intents have set, by wallet, symbol and metric, oldest first. All intents must have been added. */
  #setLimits(): ReadonlyMap<string, LimitSetting> {
    if (this.#byPlace) return this.#byPlace;
    const found = new Map<string, LimitSetting>();
    for (const limit of [...this.#all].sort((one, other) => one.code - other.code)) {
      const wallet = this.#walletAt(limit);
      const of = this.#symbolAt(limit.symbol, limit.resolvedCode);
      const key = limitKey(wallet, limit.symbol, of, limit.metric);
      const place = found.get(key) ?? newSetting(wallet, of, limit);
      if (!found.has(key)) this.#noteOfHandle(place);
      found.set(key, place);
      const isLived = this.deps.lives.isLived(this.#nameOf('wallet', limit.wallet), limit.resolvedCode);
      place.isOwnHandle ||= isLived;
      takeInto(place, limit, isLived || !this.deps.hasErasedWallets());
    }
    this.#byPlace = found;
    return found;
  }

  #noteOfHandle(place: LimitSetting): void {
    const { wallet, symbol, metric } = place;
    const key = `${wallet} ${symbol} ${metric}`;
    const places = this.#byHandle.get(key);
    if (places) places.push(place);
    else this.#byHandle.set(key, [place]);
  }

  /** The symbol that had the handle then; undefined where an erased one may have had it. */
  #symbolAt(symbol: string, moment: number): number | undefined {
    const { symbols, hasErasedSymbols } = this.deps;
    const name = this.#nameOf('symbol', symbol);
    return hasErasedSymbols() ? symbols.exactlyAt(name, moment) : symbols.at(name, moment);
  }

  /** The wallet that an address led to then (interface/wallets#routes). */
  #walletAt({ wallet, resolvedCode }: LimitSet): number | undefined {
    const { lives } = this.deps;
    const { schema, parent } = parseAddress(wallet) ?? {};
    const candidates = [
      wallet,
      ...(schema !== undefined && parent !== undefined ? [`${schema}@${parent}`] : []),
      ...(parent === undefined ? [] : [parent]),
      ...(schema === undefined ? [] : [schema]),
    ];
    const names = candidates.map((handle) => this.#nameOf('wallet', handle));
    // Clocks of servers differ: only where none was there then, one that was made later, or dropped before, may be meant.
    const name = names.find((one) => lives.isLived(one, resolvedCode)) ?? names.find((one) => lives.has(one));
    return name === undefined ? undefined : lives.at(name, resolvedCode);
  }

  /** The number of the name of a wallet or symbol; -1 where no record has it. */
  #nameOf(kind: 'wallet' | 'symbol', handle: string): number {
    return this.deps.names.find(uniqueName(kind, handle));
  }
}

function limitKey(wallet: number | undefined, symbol: string, of: number | undefined, metric: string): string {
  return `${wallet} ${symbol} ${of} ${metric}`;
}

function newSetting(wallet: number | undefined, of: number | undefined, { symbol, metric }: LimitSet): LimitSetting {
  return { wallet, symbol, of, metric, steps: [], moment: '', latest: new Set(), isStated: false, isOwnHandle: false };
}

/**
 * Takes what was set next, or at the same moment.
 *
 * @param isUnambiguous whether it was set of this wallet; otherwise what was set before may still be in force
 */
function takeInto(place: LimitSetting, { code, moment, intent, amount }: LimitSet, isUnambiguous: boolean): void {
  const before = place.steps.at(-1);
  if (before?.code === code) {
    // Of one intent, the later claim counts.
    if (!isUnambiguous || before.intent !== intent) before.others = before.last;
    before.intent = intent;
    before.last = Math.min(before.others, amount);
    before.lowest = Math.min(before.lowest, amount);
  } else {
    const others = isUnambiguous ? Number.POSITIVE_INFINITY : (before?.last ?? 0);
    place.steps.push({ code, intent, others, last: Math.min(others, amount), lowest: amount });
    if (isUnambiguous) place.latest = new Set();
  }
  if (isUnambiguous) place.moment = moment;
  place.latest.add(amount);
}

const NOTHING_SET: Pick<LimitSetting, 'steps'> = { steps: [] };

/** The row of a limit; undefined where it has not the form of one. */
function parseRow(text: string): Pick<RecordEnvelope, 'hash' | 'data' | 'meta'> | undefined {
  let row: unknown;
  try {
    row = readJson(text);
  } catch {
    return undefined;
  }
  if (!isObject(row) || typeof row.hash !== 'string' || !isObject(row.data) || !isObject(row.meta)) return undefined;
  const { proofs, moment } = row.meta;
  const isSigned =
    isMomentText(moment) && Array.isArray(proofs) && proofs.every((one) => proofDefect(one) === undefined);
  return isSigned ? (row as unknown as RecordEnvelope) : undefined;
}
