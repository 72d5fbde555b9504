import { LedgerError } from '@countersign/protocol';

/** A change is stored, and not in the log yet: within a second, as a rule (interface/log#inclusion). */
export class NotSealed extends LedgerError {
  override readonly name = 'NotSealed';
  /** Seconds after which it is worth asking again. */
  readonly retryAfter = 1;

  constructor() {
    super('record.not-found', 'Change is not sealed yet');
  }
}
