import type { KindName } from '../../kinds/kind.js';

/**
 * The outer key of a record's filter document, so that each index entry belongs to one ledger and kind. Ledger records
 * are listed across the ledgers of their owner, so they share one.
 */
export function scope(ledger: number, kind: KindName): string {
  return kind === 'ledger' ? 'ledger' : `${ledger}/${kind}`;
}
