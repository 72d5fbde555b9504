import type { Ledger, Signed } from '@countersign/client';
import { balanceChange } from '@countersign/verifier/intent';
import { type MoneyKeys, proveIntentByKeys } from './intent.js';

/** By what an intent changed a balance at one of its steps, as its proofs tell. */
export interface Movement {
  readonly luid: string;
  readonly intent: string;
  readonly status: string;
  readonly moment: string;
  readonly availableBy: bigint;
  readonly reservedBy: bigint;
  /** Wallets on the other sides of its claims. */
  readonly others: readonly string[];
  /** Available after it, counted back from the balance now. */
  readonly after: bigint;
}

/** The movements of a wallet in one symbol, newest first. */
export interface Movements {
  readonly movements: readonly Movement[];
  /** What the movements do not explain of the balance now: 0 where all were found. */
  readonly opening: bigint;
  readonly intents: number;
  /** Whether there are more intents than were read. */
  readonly hasMore: boolean;
  /** Intents that are left out: their proofs are no trail. */
  readonly unproven: number;
}

interface MovementsAsked {
  readonly wallet: string;
  readonly symbol: string;
  /** Intents that are read for each side. */
  readonly most: number;
  /** Whether addresses below the wallet are searched for as well. */
  readonly isDeep: boolean;
}

/** The movements of a wallet, from the intents that name it in a claim; `available` is its balance now. */
export async function readMovements(
  client: Ledger,
  keys: MoneyKeys,
  asked: MovementsAsked,
  available: bigint,
): Promise<Movements> {
  const { records, hasMore } = await readIntents(client, asked);
  const found: Omit<Movement, 'after'>[] = [];
  let unproven = 0;
  for (const record of records) {
    const proven = proveIntentByKeys(record, keys);
    if (proven.faults.length > 0) unproven += 1;
    else found.push(...movementsOf(record, proven, asked).reverse());
  }
  // Steps of one moment stay as they are: the newest first.
  found.sort((a, b) => (a.moment < b.moment ? 1 : a.moment > b.moment ? -1 : 0));
  let left = available;
  const movements = found.map((one) => {
    const after = left;
    left -= one.availableBy;
    return { ...one, after };
  });
  return { movements, opening: left, intents: records.length, hasMore, unproven };
}

async function readIntents(client: Ledger, { wallet, symbol, most, isDeep }: MovementsAsked) {
  const below = { $regex: `@${wallet.replace(/[\\._%]/g, '\\$&')}` };
  const searched = isDeep ? [wallet, below] : [wallet];
  const records = new Map<string, Signed>();
  let hasMore = false;
  for (const side of ['data.claims.source.handle', 'data.claims.target.handle'] as const) {
    for (const address of searched) {
      const filter = { 'data.claims.symbol.handle': symbol, [side]: address };
      const all = (await client.intents.list({ filter, limit: 200 }).all(most + 1)) as unknown as Signed[];
      if (all.length > most) hasMore = true;
      for (const record of all.slice(0, most)) records.set(record.luid, record);
    }
  }
  return { records: [...records.values()], hasMore };
}

function movementsOf(
  { luid, data, meta }: Signed,
  { entries, booked, isReserved }: ReturnType<typeof proveIntentByKeys>,
  { wallet, symbol }: MovementsAsked,
): Omit<Movement, 'after'>[] {
  const own = entries.filter((entry) => entry.wallet === wallet && entry.symbol === symbol);
  const claims = new Set(own.map(({ claim }) => claim));
  const others = entries.filter((entry) => claims.has(entry.claim) && entry.wallet !== wallet);
  return booked
    .map(({ action, moment }) => {
      let [availableBy, reservedBy] = [0n, 0n];
      for (const entry of own) {
        const [available, reserved] = balanceChange(isReserved, entry, action);
        availableBy += BigInt(available);
        reservedBy += BigInt(reserved);
      }
      return {
        luid,
        intent: String(data.handle),
        status: String(meta.status),
        moment,
        availableBy,
        reservedBy,
        others: [...new Set(others.map((entry) => entry.wallet))],
      };
    })
    .filter(({ availableBy, reservedBy }) => availableBy !== 0n || reservedBy !== 0n);
}
