import type { Ledger, Signed } from '@countersign/client';
import { legsOf, type MoneyKeys, proveIntentByKeys } from './intent.js';

/** What went from one wallet to another; a side is undefined where amounts are issued or destroyed. */
export interface Flow {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly amount: bigint;
  readonly claims: number;
}

/** The flows of a symbol, greatest first. */
export interface Flows {
  readonly flows: readonly Flow[];
  readonly total: bigint;
  readonly intents: number;
  /** Whether there are more intents in the period than were read. */
  readonly hasMore: boolean;
  readonly unproven: number;
}

export interface FlowsAsked {
  readonly symbol: string;
  /** Days, `2026-11-27`: from the beginning of one to the end of the other. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** Intents that are read. */
  readonly most: number;
}

/** What completed intents moved between wallets, added up from their proofs. */
export async function readFlows(client: Ledger, keys: MoneyKeys, asked: FlowsAsked): Promise<Flows> {
  const { symbol, from, until, most } = asked;
  const period = {
    ...(from ? { $gte: `${from}T00:00:00.000Z` } : {}),
    ...(until ? { $lte: `${until}T23:59:59.999Z` } : {}),
  };
  const filter = {
    'data.claims.symbol.handle': symbol,
    'meta.status': 'completed',
    ...(Object.keys(period).length > 0 ? { 'meta.moment': period } : {}),
  };
  const all = (await client.intents.list({ filter, limit: 200 }).all(most + 1)) as unknown as Signed[];
  const records = all.slice(0, most);
  const flows = new Map<string, Flow>();
  let [total, unproven] = [0n, 0];
  for (const record of records) {
    const proven = proveIntentByKeys(record, keys);
    if (proven.faults.length > 0) {
      unproven += 1;
      continue;
    }
    for (const { debit, credit, symbol: unit, amount } of legsOf(record.data, proven.entries)) {
      if (unit !== symbol || (!debit && !credit)) continue;
      const name = JSON.stringify([debit?.wallet, credit?.wallet]);
      const flow = flows.get(name) ?? { from: debit?.wallet, to: credit?.wallet, amount: 0n, claims: 0 };
      flows.set(name, { ...flow, amount: flow.amount + amount, claims: flow.claims + 1 });
      total += amount;
    }
  }
  const sorted = [...flows.values()].sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0));
  return { flows: sorted, total, intents: records.length - unproven, hasMore: all.length > most, unproven };
}
