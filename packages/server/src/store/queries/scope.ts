import type { KindName } from '../../kinds/kind.js';

/**
 * The outer key of a record's filter document, so that no index entry is shared by two ledgers or kinds. Ledger
 * records are listed across the ledgers their owner has, so theirs are alike.
 */
export function scope(ledger: number, kind: KindName): string {
  return kind === 'ledger' ? 'ledger' : `${ledger}/${kind}`;
}
