import pg from 'pg';
import { expect } from 'vitest';

interface Row {
  readonly ledger: string;
  readonly luid: string;
  readonly body: string;
}

/** What an intent did, as its proofs tell. */
interface Done {
  readonly ledger: string;
  readonly luid: string;
  /** Of the `committed` proof. */
  readonly moment: string;
  readonly entries: readonly { readonly wallet: string; readonly symbol: string; readonly by: bigint }[];
  readonly limits: readonly { readonly wallet: string; readonly symbol: string; readonly amount: bigint }[];
}

/**
 * Replays all completed intents of a database by the moment at which they were committed, told by their proofs and claims
 * alone: no balance goes below its minimum, and in the end each is what the books say. What is of one millisecond has no
 * order, so it is looked at together.
 */
export async function checkReplay(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(`select r.ledger_id::text as ledger, r.luid, c.body from record r
      join change c on c.ledger_id = r.ledger_id and c.luid = r.luid and c.change = r.change
      where r.kind = 'intent' and r.status in ('committed', 'completed')`);
    const done = rows
      .map(toDone)
      .sort((one, other) => (one.moment < other.moment ? -1 : one.moment > other.moment ? 1 : 0));
    const balances = replay(done);
    // Wallets are named by handle in proofs; only those that were never dropped can be compared.
    const { rows: stored } = await client.query<{
      ledger: string;
      wallet: string;
      symbol: string;
      available: string;
      reserved: string;
    }>(
      `select b.ledger_id::text as ledger, r.handle as wallet, b.symbol, b.available::text, coalesce(b.reserved, 0)::text as reserved
       from balance b join record r on r.ledger_id = b.ledger_id and r.luid = b.wallet`,
    );
    for (const { ledger, wallet, symbol, available, reserved } of stored) {
      const replayed = balances.get(`${ledger} ${wallet} ${symbol}`) ?? 0n;
      expect(String(replayed), `${wallet} of ledger ${ledger}`).toBe(String(BigInt(available) + BigInt(reserved)));
    }
  } finally {
    await client.end();
  }
}

function toDone({ ledger, luid, body }: Row): Done {
  const { data, meta } = JSON.parse(body);
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
  const committed = meta.proofs.find(({ custom }: any) => custom.detail === 'awaiting-clearance');
  const entries = meta.proofs
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    .filter(({ custom }: any) => custom.status === 'resolved')
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    .map(({ custom: { wallet, symbol, schema, amount } }: any) => {
      return { wallet, symbol, by: schema === 'credit' ? BigInt(amount) : -BigInt(amount) };
    });
  const limits = data.claims
    .filter(({ metric }: { metric?: string }) => metric === 'minBalance')
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    .map(({ wallet, symbol, amount }: any) => ({
      wallet: wallet.handle,
      symbol: symbol.handle,
      amount: BigInt(amount),
    }));
  return { ledger, luid, moment: committed.custom.moment, entries, limits };
}

function replay(done: readonly Done[]): ReadonlyMap<string, bigint> {
  const balances = new Map<string, bigint>();
  const least = new Map<string, bigint>();
  for (let at = 0; at < done.length; ) {
    const { moment } = done[at]!;
    const touched = new Set<string>();
    for (; at < done.length && done[at]!.moment === moment; at += 1) {
      const { ledger, entries, limits } = done[at]!;
      for (const { wallet, symbol, by } of entries) {
        const key = `${ledger} ${wallet} ${symbol}`;
        balances.set(key, (balances.get(key) ?? 0n) + by);
        if (by < 0n) touched.add(key);
      }
      // A limit above the balance refuses what comes; it takes nothing away. The least of a millisecond counts.
      for (const { wallet, symbol, amount } of limits) {
        const key = `${ledger} ${wallet} ${symbol}`;
        const before = least.get(key) ?? 0n;
        least.set(key, amount < before ? amount : before);
      }
    }
    for (const key of touched) {
      const bound = least.get(key) ?? 0n;
      expect(balances.get(key)! >= bound, `${key} has ${balances.get(key)} at ${moment}, at least ${bound}`).toBe(true);
    }
  }
  return balances;
}
