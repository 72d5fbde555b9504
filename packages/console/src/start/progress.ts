import type { Ledger, Schemas, Signed } from '@countersign/client';

/** How far a ledger is on the way to its first transfer, as its own records say. */
export interface Progress {
  readonly symbol: Schemas['symbol'] | undefined;
  readonly wallets: readonly Schemas['wallet'][];
  readonly issue: Schemas['intent'] | undefined;
  readonly transfer: Schemas['intent'] | undefined;
  /** How many intents there are. */
  readonly intents: number;
}

/** Records that are looked at: a ledger with more of them is none that begins. */
const LOOKED_AT = 100;

/** Reads what is there already, so that a reload goes on where it was left. */
export async function readProgress(client: Ledger): Promise<Progress> {
  const limit = LOOKED_AT;
  const [symbols, wallets, intents] = await Promise.all([
    client.symbols.list({ limit }).page(0),
    client.wallets.list({ limit }).page(0),
    client.intents.list({ limit }).page(0),
  ]);
  // Lists have the newest first.
  const oldest = [...wallets.items].reverse();
  const find = (action: string) =>
    intents.items.findLast(
      ({ data, meta }) => meta.status !== 'rejected' && data.claims.some((claim) => claim.action === action),
    );
  return {
    symbol: symbols.items.at(-1),
    wallets: oldest.slice(0, 2),
    issue: find('issue'),
    transfer: find('transfer'),
    intents: intents.items.length,
  };
}

/** A record as what verifies it takes it. */
export function signedOf(record: object): Signed {
  return record as Signed;
}
