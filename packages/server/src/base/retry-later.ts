import { LedgerError } from '@countersign/protocol';

/** A refusal that ends by itself. */
export class RetryLater extends LedgerError {
  /** Seconds after which the request may be sent again. */
  readonly retryAfter: number;

  constructor(reason: ConstructorParameters<typeof LedgerError>[0], detail: string, retryAfter: number) {
    super(reason, detail);
    this.retryAfter = retryAfter;
  }
}
