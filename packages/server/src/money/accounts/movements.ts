import type { Move } from '@countersign/protocol/trail';
import type { Entry, Plan } from '../plan/plan.js';
import type { Books, Cause } from './books.js';

/**
 * Changes the balances of all entries of an intent (interface/wallets#balances). What it changes of one balance is one
 * movement.
 */
export function move(books: Books, plan: Plan, action: Move, cause: Cause): void {
  const changes = new Map<string, { wallet: string; symbol: string; availableBy: number; reservedBy: number }>();
  for (const entry of plan.entries) {
    const { luid: wallet, symbol } = entry;
    const key = `${wallet} ${symbol}`;
    const change = changes.get(key) ?? { wallet, symbol, availableBy: 0, reservedBy: 0 };
    const [availableBy, reservedBy] = changeOf(plan, entry, action);
    change.availableBy += availableBy;
    change.reservedBy += reservedBy;
    changes.set(key, change);
  }
  for (const change of changes.values()) {
    if (change.availableBy !== 0 || change.reservedBy !== 0) books.move(change, cause);
  }
}

/** What an entry adds to the available and to the reserved amount. */
function changeOf({ isForward }: Plan, { side, amount }: Entry, action: Move): [number, number] {
  if (side === 'credit') return action === 'post' ? [amount, 0] : [0, 0];
  // What is forwarded has just arrived: it leaves as it came, and is never reserved.
  if (isForward) return action === 'post' ? [-amount, 0] : [0, 0];
  if (action === 'pending') return [-amount, amount];
  return action === 'void' ? [amount, -amount] : [0, -amount];
}
