import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import type { Session } from '../../ledgers/session.js';
import type { Place } from '../../store/money/books.js';
import type { Entry, IntentFailure, LimitClaim, Metric, Plan } from '../plan/plan.js';
import { type Books, type Cause, nameBalance } from './books.js';

/** Amounts are integers that JSON numbers hold exactly. */
const GREATEST = Number.MAX_SAFE_INTEGER;

/** What limits are judged by. */
export interface Circumstances {
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
  /** Of the ledger. */
  readonly config: JsonObject;
  /** The other intents of the thread that are to settle with it, and those of them that are not counted yet. */
  readonly unsettled: readonly Plan[];
  readonly uncounted: readonly Plan[];
}

/**
 * The limit that an intent would exceed, judged before anything is reserved (interface/wallets#limits): the least
 * balance, the greatest, then the daily ones, each in the order of claims. Bounds are inclusive.
 */
export function findExceededLimit(books: Books, plan: Plan, given: Circumstances): IntentFailure | undefined {
  return (
    findDisabled(plan, given.config) ??
    findTooLow(books, plan) ??
    findTooHigh(books, plan, given.unsettled) ??
    (countsDaily(given.config) ? findDaily(books, plan, given) : undefined)
  );
}

/** A daily limit needs `limits.aggregated.enabled` in the ledger's configuration. */
function findDisabled({ limits }: Plan, config: JsonObject): IntentFailure | undefined {
  if (!limits.some(({ metric }) => metric.startsWith('daily')) || countsDaily(config)) return undefined;
  return { reason: 'core.unexpected-error', detail: 'Ledger failed to commit intent' };
}

/** Whether daily limits apply on a ledger. */
export function countsDaily(config: JsonObject): boolean {
  return config['limits.aggregated.enabled'] === true;
}

/**
 * The greatest balance that the credits of a thread would exceed, judged again when it is to commit: other credits may have
 * arrived since (interface/wallets#limits). What was held for a signer was promised to them, so only what no balance can
 * hold ends it.
 */
export function findFull(books: Books, plans: readonly Plan[]): IntentFailure | undefined {
  const isPromised = plans.some(({ isManual }) => isManual);
  for (const plan of plans) {
    const others = plans.filter((other) => other !== plan);
    const full = findTooHigh(books, plan, others, isPromised);
    if (full) return full;
  }
  return undefined;
}

function findTooLow(books: Books, plan: Plan): IntentFailure | undefined {
  // What is forwarded arrives first, in the same thread.
  if (plan.isForward) return undefined;
  const debits = plan.entries.filter(({ side }) => side === 'debit');
  for (const [entry, sum] of sumsOf(debits)) {
    const place = placeOfEntry(entry);
    const after = BigInt(books.available(place)) - sum;
    const least = books.limits(place).get('minBalance')?.amount ?? 0;
    if (after < BigInt(least))
      return limitExceeded(`Amount ${after} is less than minimum allowed amount ${least}`, entry);
    const reserved = BigInt(books.reserved(place)) + sum;
    if (reserved > BigInt(GREATEST)) {
      return limitExceeded(`Amount ${reserved} is greater than maximum allowed amount ${GREATEST}`, entry, 'reserved');
    }
  }
  return undefined;
}

function findTooHigh(
  books: Books,
  plan: Plan,
  unsettled: readonly Plan[],
  isPromised = false,
): IntentFailure | undefined {
  const others = new Map(
    sumsOf(unsettled.flatMap(creditsOf)).map(([entry, sum]) => [nameBalance(placeOfEntry(entry)), sum]),
  );
  for (const [entry, sum] of sumsOf(creditsOf(plan))) {
    const place = placeOfEntry(entry);
    const after = BigInt(books.available(place)) + sum + (others.get(nameBalance(place)) ?? 0n);
    const greatest = (isPromised ? undefined : books.limits(place).get('maxBalance')?.amount) ?? GREATEST;
    if (after > BigInt(greatest)) {
      return limitExceeded(`Amount ${after} is greater than maximum allowed amount ${greatest}`, entry);
    }
    // What is reserved may come back.
    const most = after + BigInt(books.reserved(place));
    if (most > BigInt(GREATEST)) {
      return limitExceeded(`Amount ${most} is greater than maximum allowed amount ${GREATEST}`, entry);
    }
  }
  return undefined;
}

function creditsOf({ entries }: Plan): Entry[] {
  return entries.filter(({ side }) => side === 'credit');
}

function findDaily(books: Books, plan: Plan, { day, uncounted }: Circumstances): IntentFailure | undefined {
  const others = uncounted.flatMap(transfersOf);
  for (const { entry, amount } of transfersOf(plan)) {
    const place = placeOfEntry(entry);
    const before = others.filter((one) => nameBalance(placeOfEntry(one.entry)) === nameBalance(place));
    const { wallet } = entry;
    const count = books.dailyLimit(place, 'dailyCount');
    if (count && BigInt(usageOn(count, day)) + BigInt(before.length) + 1n > BigInt(count.amount)) {
      return { reason: 'core.limit-exceeded', detail: `Daily transactions limit exceeded for wallet ${wallet}` };
    }
    const limit = books.dailyLimit(place, 'dailyAmount');
    const sum = before.reduce((sum, one) => sum + one.amount, amount);
    if (limit && BigInt(usageOn(limit, day)) + sum > BigInt(limit.amount)) {
      return { reason: 'core.limit-exceeded', detail: `Daily amount limit exceeded for wallet ${wallet}` };
    }
  }
  return undefined;
}

/**
 * Counts the intent against the daily limits of its wallets: once for each wallet and symbol it transfers through, and
 * the amounts of both sides; a claim that sets a limit counts as one more intent (interface/wallets#limits).
 *
 * @param sign -1 to take back what an intent counted that was rejected
 * @param only the limits to count against, by `nameLimit`; all unless given
 */
export function countDaily(books: Books, plan: Plan, day: string, sign: 1 | -1, only?: ReadonlySet<string>): void {
  const counted = new Map<string, Place & { amount: bigint }>();
  for (const { entry, amount } of transfersOf(plan)) {
    const place = placeOfEntry(entry);
    counted.set(nameBalance(place), { ...place, amount });
  }
  for (const { luid: wallet, symbol } of plan.limits) {
    const key = nameBalance({ wallet, symbol });
    if (!counted.has(key)) counted.set(key, { wallet, symbol, amount: 0n });
  }
  for (const { wallet, symbol, amount } of counted.values()) {
    const place = { wallet, symbol };
    for (const [metric, limit] of books.limits(place)) {
      const by = metric === 'dailyCount' ? 1n : metric === 'dailyAmount' ? amount : 0n;
      if (only && !only.has(nameLimit(place, metric))) continue;
      // What was counted on another day has gone with it.
      if (by === 0n || (sign === -1 && limit.day !== day)) continue;
      const used = BigInt(usageOn(limit, day)) + BigInt(sign) * by;
      books.setLimit(place, metric, { ...limit, day, used: Number(used < 0n ? 0n : used) });
    }
  }
}

/** What counts against a daily limit on that day. */
function usageOn(limit: { readonly day?: string | undefined; readonly used: number }, day: string): number {
  return limit.day === day ? limit.used : 0;
}

/** The wallets and symbols of transfers, each once, with the sum of both sides; issues and destroys do not count. */
function transfersOf({ entries }: Plan): { entry: Entry; amount: bigint }[] {
  const sides = new Map<number, number>();
  for (const { claim } of entries) sides.set(claim, (sides.get(claim) ?? 0) + 1);
  const transfers = entries.filter(({ claim }) => sides.get(claim) === 2);
  return sumsOf(transfers).map(([entry, amount]) => ({ entry, amount }));
}

/** The sums of entries by wallet and symbol, each with the first of its entries. */
function sumsOf(entries: readonly Entry[]): [Entry, bigint][] {
  const sums = new Map<string, [Entry, bigint]>();
  for (const entry of entries) {
    const key = nameBalance(placeOfEntry(entry));
    sums.set(key, [sums.get(key)?.[0] ?? entry, (sums.get(key)?.[1] ?? 0n) + BigInt(entry.amount)]);
  }
  return [...sums.values()];
}

function placeOfEntry({ luid, symbol }: Entry): Place {
  return { wallet: luid, symbol };
}

/** Names a limit among those of a ledger. */
export function nameLimit(place: Place, metric: Metric): string {
  return `${nameBalance(place)} ${metric}`;
}

function limitExceeded(what: string, { wallet, symbol }: Entry, schema = 'available'): IntentFailure {
  return {
    reason: 'core.limit-exceeded',
    detail: `${what} for wallet ${wallet}, symbol ${symbol}, schema ${schema}`,
  };
}

/**
 * Sets the limits that an intent claims, each in place of the one before (interface/wallets#limits). A limit on the
 * balance saves the available row again; a daily one counts from now on.
 *
 * @returns names of the limits that were not set before
 */
export function setLimits(books: Books, { limits }: Plan, cause: Cause, session: Session): ReadonlySet<string> {
  const made = new Set<string>();
  for (const claim of limits) {
    const place = { wallet: claim.luid, symbol: claim.symbol };
    const before = books.limits(place).get(claim.metric);
    if (!before) made.add(nameLimit(place, claim.metric));
    const luid = before?.luid ?? books.newLuid();
    const { day, used = 0 } = before ?? {};
    const body = formatLimit(claim, luid, cause.moment, session);
    books.setLimit(place, claim.metric, {
      luid,
      amount: claim.amount,
      ...(day === undefined ? {} : { day }),
      used,
      body,
    });
    if (!claim.metric.startsWith('daily')) books.touch(place, cause);
  }
  return made;
}

/** The row of a limit as it is served. */
function formatLimit(claim: LimitClaim, luid: string, moment: string, { ledger, suite }: Session): string {
  const { wallet, symbol, metric, amount } = claim;
  const data = { wallet, symbol, metric, amount };
  const hash = hashOf(data, suite);
  return JSON.stringify({ hash, data, luid, meta: { proofs: [ledger.system.stored(hash, { moment })], moment } });
}
