import { isObject, parseAddress, type RecordEnvelope, type StoredProof } from '@countersign/protocol';
import type { ErasedIntents } from './erased/intents.js';
import type { Lives } from './kept/lives.js';
import { codeOf } from './kept/moment.js';
import { type Names, nameOf } from './kept/names.js';
import type { Records } from './kept/records.js';
import type { LedgerKeys } from './keys.js';
import type { LimitLine } from './lines.js';
import type { SetLimit } from './movements.js';
import { isMoment, proofDefect } from './version.js';

/** Verifies one signed row: hash and proofs. */
export type VerifySigned = (hash: string, data: RecordEnvelope['data'], proofs: readonly StoredProof[]) => boolean;

/** A limit that an intent has set, and the code of its moment. */
interface LimitSet extends SetLimit {
  readonly code: number;
}

/** What is looked up for limits. */
export interface LimitMeans {
  readonly records: Records;
  readonly names: Names;
  readonly lives: Lives;
}

/** Limits that intents have set, and what the ledger says of them. */
export class Limits {
  readonly #all: LimitSet[] = [];
  /** Intents that set limits. */
  readonly #intents = new Set<string>();
  #byPlace: ReadonlyMap<string, readonly LimitSet[]> | undefined;

  constructor(
    private readonly keys: LedgerKeys,
    private readonly verify: VerifySigned,
    private readonly means: LimitMeans,
  ) {}

  add(limit: SetLimit): void {
    this.#all.push({ ...limit, code: codeOf(limit.moment) });
    this.#intents.add(limit.intent);
  }

  /** Whether the intent has set any. */
  isSetBy(intent: string): boolean {
    return this.#intents.has(intent);
  }

  /** What is wrong with a limit as it is served: it is signed, and the one that was set last. */
  defectOf({ wallet, symbol, metric, amount, text }: LimitLine, erased: ErasedIntents): string | undefined {
    const row = parseRow(text);
    if (!row) return 'is no record';
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
    const set = this.#setLimits().get(`${this.means.records.numberOf(wallet)} ${symbol} ${metric}`) ?? [];
    const latest = set.at(-1)?.moment;
    if (latest !== meta.moment && erased.takeLimit(`${wallet} ${symbol}`, metric, meta.moment, latest))
      return undefined;
    return set.some((one) => one.moment === latest && one.amount === amount) ? undefined : 'no intent has set last';
  }

  /** The least that a wallet could be left with: 0, or what was set last; of several at that moment the lowest. */
  leastAt(name: number, symbol: string, moment: number): number {
    const limits = this.#setLimits();
    if (limits.size === 0) return 0;
    const set = limits.get(`${this.means.lives.at(name, moment)} ${symbol} minBalance`) ?? [];
    const before = set.findLast((one) => one.code < moment)?.amount ?? 0;
    return Math.min(before, ...set.filter((one) => one.code === moment).map(({ amount }) => amount));
  }

  /** Whether the wallet is one of the handle, and not erased. */
  isNamed(luid: string, handle: string): boolean {
    const name = this.means.lives.nameOf(this.means.records.numberOf(luid));
    return name >= 0 && name === this.#nameOf(handle);
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
  #setLimits(): ReadonlyMap<string, readonly LimitSet[]> {
    if (this.#byPlace) return this.#byPlace;
    const found = new Map<string, LimitSet[]>();
    for (const limit of [...this.#all].sort((one, other) => one.code - other.code)) {
      const key = `${this.#walletAt(limit)} ${limit.symbol} ${limit.metric}`;
      const set = found.get(key);
      if (set) set.push(limit);
      else found.set(key, [limit]);
    }
    this.#byPlace = found;
    return found;
  }

  /** The wallet that an address led to then (interface/wallets#routes). */
  #walletAt({ wallet, code }: LimitSet): number | undefined {
    const { schema, parent } = parseAddress(wallet) ?? {};
    const candidates = [
      wallet,
      ...(schema !== undefined && parent !== undefined ? [`${schema}@${parent}`] : []),
      ...(parent === undefined ? [] : [parent]),
      ...(schema === undefined ? [] : [schema]),
    ];
    for (const handle of candidates) {
      const record = this.means.lives.at(this.#nameOf(handle), code);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  /** The number of the name of a wallet; -1 where no record has it. */
  #nameOf(handle: string): number {
    return this.means.names.find(nameOf('wallet', handle));
  }
}

/** The row of a limit; undefined where it has not the form of one. */
function parseRow(text: string): Pick<RecordEnvelope, 'hash' | 'data' | 'meta'> | undefined {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(row) || typeof row.hash !== 'string' || !isObject(row.data) || !isObject(row.meta)) return undefined;
  const { proofs, moment } = row.meta;
  const isSigned = isMoment(moment) && Array.isArray(proofs) && proofs.every((one) => proofDefect(one) === undefined);
  return isSigned ? (row as unknown as RecordEnvelope) : undefined;
}
