import { LedgerError } from '@countersign/protocol';

/** What an operator has stopped of a ledger (docs/operations/tenants.md). */
export interface Suspension {
  /** Its writes, or its reads as well. */
  readonly level: 'writes' | 'all';
  /** In the operator's words: whoever is refused is told. */
  readonly reason: string;
}

/** The refusal of what an operator has stopped. */
export function suspended({ level, reason }: Suspension): LedgerError {
  const stopped = level === 'all' ? 'this ledger' : 'writes to this ledger';
  return new LedgerError('auth.forbidden', `The operator of the server has suspended ${stopped}: ${reason}`);
}
