import { LedgerError } from '@countersign/protocol';

/** What an operator has stopped of a ledger (docs/operations/tenants.md). */
export interface Suspension {
  /** Its writes, or its reads as well. */
  readonly level: 'writes' | 'all';
  /** In the operator's words: whoever is refused is told. */
  readonly reason: string;
}

/** The refusal of what an operator has stopped. Unlike other refusals it ends with a resume. */
export class LedgerSuspended extends LedgerError {
  override readonly name = 'LedgerSuspended';

  constructor({ level, reason }: Suspension) {
    const stopped = level === 'all' ? 'this ledger' : 'writes to this ledger';
    super('auth.forbidden', `The operator of the server has suspended ${stopped}: ${reason}`);
  }
}
