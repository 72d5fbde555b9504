import type { Move } from '@countersign/protocol/trail';
import { entriesOf, limitClaimsOf, type PlannedEntry } from './intent-plan.js';
import type { IntentTrail } from './intent-trail.js';
import type { RecordVersion } from './version.js';

/** By what an intent changes a balance at one of its versions, as its proofs tell. */
export interface ProvenMovement {
  readonly intent: string;
  readonly change: number;
  /** Handle. */
  readonly wallet: string;
  readonly symbol: string;
  availableBy: number;
  reservedBy: number;
  readonly moment: string;
  /** Whether a limit is judged on it: on what is reserved, and on nothing else (interface/wallets#limits). */
  readonly isJudged: boolean;
}

/** A limit that an intent has set. The wallet is an address. */
export interface SetLimit {
  readonly intent: string;
  readonly wallet: string;
  readonly symbol: string;
  readonly metric: string;
  readonly amount: number;
  readonly moment: string;
  /** The moment by which the address was looked up: the intent may have been held, or have waited for bridges, since. */
  readonly resolved: string;
}

/** What the proofs of an intent do to balances and limits (interface/wallets#balances). */
export function movementsOfIntent(
  trail: IntentTrail,
  { luid, record }: RecordVersion,
): { moved: ProvenMovement[]; limits: SetLimit[] } {
  const entries = entriesOf(trail.resolved);
  const moved: ProvenMovement[] = [];
  const limits: SetLimit[] = [];
  for (const { action, change, moment } of trail.booked) {
    const changes = new Map<string, ProvenMovement>();
    for (const entry of entries) {
      const { wallet, symbol } = entry;
      const [availableBy, reservedBy] = balanceChange(trail.isReserved, entry, action);
      const key = `${wallet} ${symbol}`;
      const isJudged = action === 'pending';
      const movement = changes.get(key) ?? {
        intent: luid,
        change,
        wallet,
        symbol,
        availableBy: 0,
        reservedBy: 0,
        moment,
        isJudged,
      };
      movement.availableBy += availableBy;
      movement.reservedBy += reservedBy;
      changes.set(key, movement);
    }
    for (const movement of changes.values())
      if (movement.availableBy !== 0 || movement.reservedBy !== 0) moved.push(movement);
    if (action === 'post')
      for (const claim of limitClaimsOf(record.data))
        limits.push({ intent: luid, ...claim, moment, resolved: trail.begun });
  }
  return { moved, limits };
}

/** By what a booking changes the available and the reserved amount of an entry's wallet. */
export function balanceChange(
  isReserved: boolean,
  { side, amount }: Pick<PlannedEntry, 'side' | 'amount'>,
  action: Move,
): [availableBy: number, reservedBy: number] {
  if (side === 'credit') return action === 'post' ? [amount, 0] : [0, 0];
  if (!isReserved) return action === 'post' ? [-amount, 0] : [0, 0];
  if (action === 'pending') return [-amount, amount];
  return action === 'void' ? [amount, -amount] : [0, -amount];
}
