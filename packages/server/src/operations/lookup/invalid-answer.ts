import { LedgerError } from '@countersign/protocol';

/** The traits by which a bridge answers lookups. */
export type LookupTrait = 'anchors' | 'domains';

/** The error for an answer that is not a list of data (interface/lookups#what-a-bridge-answers). */
export function invalidAnswer(trait: LookupTrait): LedgerError {
  return new LedgerError('bridge.proxy-response-invalid', detail(trait));
}

/** The bridge was unreachable or answered with an HTTP error: 502. `cause` is for the log alone. */
export class NoAnswer extends LedgerError {
  override readonly name = 'NoAnswer';

  constructor(trait: LookupTrait, cause?: unknown) {
    super('bridge.proxy-response-invalid', detail(trait));
    if (cause !== undefined) this.cause = cause;
  }

  override get status(): number {
    return 502;
  }
}

function detail(trait: LookupTrait): string {
  return `Invalid response from bridge while querying ${trait}`;
}
