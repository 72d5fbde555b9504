import type { Json, JsonObject } from '@countersign/protocol';
import type { Entry, Part } from '../model.js';
import { type Claim, claimsOf } from '../resolution/claims.js';

/**
 * What a bridge is told of an entry, or of several that are grouped (interface/bridges#two-phases): all of the data but the
 * luid and the intent. Addresses are those of the claim, in object form. A group has many parties on its other side, so it
 * names none there.
 *
 * @param data of the intent
 */
export function describeEntry({ handle, side, entries: of }: Part, entries: readonly Entry[], data: JsonObject) {
  const claims = claimsOf(data);
  const grouped = of.map((index) => entries[index]!);
  const [first] = grouped;
  const claim = claims[first!.claim]!;
  const isGroup = grouped.length > 1;
  const own = addressOf(claim, side === 'debit' ? 'source' : 'target');
  // Grouped by wallet, addresses may differ.
  const shared =
    isGroup && !grouped.every((one) => isAt(claims[one.claim]!, one, own)) ? { handle: first!.wallet } : own;
  return {
    handle,
    schema: side,
    source: side === 'debit' ? shared : isGroup ? null : addressOf(claim, 'source'),
    target: side === 'credit' ? shared : isGroup ? null : addressOf(claim, 'target'),
    symbol: isGroup ? { handle: first!.symbol } : (claim.symbol as unknown as Json),
    amount: grouped.reduce((sum, { amount }) => sum + amount, 0),
    inputs: grouped.map((one) => one.claim),
  };
}

function addressOf(claim: Claim, name: 'source' | 'target'): Json {
  const address = (claim as { source?: unknown; target?: unknown })[name];
  return address === undefined ? null : (address as Json);
}

function isAt(claim: Claim, { side }: Entry, address: Json): boolean {
  const own = addressOf(claim, side === 'debit' ? 'source' : 'target') as { handle: string };
  return own.handle === (address as { handle: string }).handle;
}
