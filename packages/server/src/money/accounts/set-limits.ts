import { hash as hashOf } from '@countersign/protocol';
import type { Session } from '../../ledgers/session.js';
import type { LimitClaim, Plan } from '../plan/plan.js';
import type { Books, Cause } from './books.js';
import { nameLimit } from './wallet-limits.js';

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
