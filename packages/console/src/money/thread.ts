import { isRefusal, type Ledger, type Signed } from '@countersign/client';
import type { ProvenIntent } from '@countersign/verifier/intent';

/** Intents that a thread has at most (interface/intents#forwarding). */
const LONGEST = 10;

/** Intents of a wallet and an amount that are looked through for those that forward a credit. */
const SEARCHED = 50;

/** Intents that follow from one another, the first one first. */
export interface Thread {
  readonly intents: readonly Signed[];
  /** Whether one of them may not be read, or was not found. */
  readonly hasGap: boolean;
}

/**
 * The thread of an intent. Lists cannot be filtered by thread: what an intent was made from is named in it, and what it
 * was passed on by is looked for among the intents that take the same amount from the wallets that it credited.
 */
export async function readThread(
  client: Ledger,
  record: Signed,
  prove: (record: Signed) => ProvenIntent,
): Promise<Thread> {
  const intents: Signed[] = [record];
  let hasGap = false;
  for (let first = record; typeof first.data.origin === 'string' && intents.length < LONGEST; ) {
    const before = await findIntent(client, first.data.origin);
    if (before === undefined || before.meta.thread !== record.meta.thread) {
      hasGap = true;
      break;
    }
    intents.unshift(before);
    first = before;
  }
  for (let at = 0; at < intents.length && intents.length < LONGEST; at++) {
    const known = new Set(intents.map(({ luid }) => luid));
    for (const one of await passedOnBy(client, intents[at] as Signed, prove))
      if (!known.has(one.luid)) intents.push(one);
  }
  return { intents: intents.slice(0, LONGEST), hasGap };
}

async function passedOnBy(client: Ledger, record: Signed, prove: (record: Signed) => ProvenIntent): Promise<Signed[]> {
  const credits = prove(record).entries.filter(({ side }) => side === 'credit');
  const wanted = new Map(credits.map((entry) => [`${entry.wallet} ${entry.symbol} ${entry.amount}`, entry]));
  const found: Signed[] = [];
  for (const { wallet, symbol, amount } of [...wanted.values()].slice(0, LONGEST)) {
    const filter = {
      'data.claims.source.handle': wallet,
      'data.claims.symbol.handle': symbol,
      'data.claims.amount': amount,
      'meta.moment': { $gte: String(record.meta.moment) },
    };
    const { items } = await client.intents.list({ filter, limit: SEARCHED }).page(0);
    const all = items as unknown as Signed[];
    found.push(
      ...all.filter(({ data, meta }) => data.origin === record.data.handle && meta.thread === record.meta.thread),
    );
  }
  return found;
}

async function findIntent(client: Ledger, handle: string): Promise<Signed | undefined> {
  try {
    return (await client.intents.get(handle)) as unknown as Signed;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
