import { isObject, type JsonObject, LedgerError, type StoredProof } from '@countersign/protocol';

/**
 * A signed error that a bridge answered, to be passed on as it is, and signed by the ledger too
 * (interface/forwarding#what-is-checked-of-an-answer).
 */
export class BridgeRefusal extends Error {
  override readonly name = 'BridgeRefusal';

  constructor(
    readonly status: number,
    readonly hash: string,
    readonly data: JsonObject,
    /** The bridge's own, verified. */
    readonly proofs: readonly StoredProof[],
  ) {
    super(`A bridge refused: ${data.reason}`);
  }
}

/** Whether `data` is that of an error (interface/errors). */
export function isErrorData(data: unknown): data is JsonObject {
  return isObject(data) && typeof data.reason === 'string' && typeof data.detail === 'string';
}

/** The error for an answer other than a record or a signed error. */
export function invalidResponse(bridge: string): LedgerError {
  return new LedgerError('forward.invalid-response', `Invalid response from bridge ${bridge}`);
}

/** The error for a call that failed, or was answered 401. `cause` is for the log only. */
export function makeUnexpected(cause?: unknown): LedgerError {
  const error = new LedgerError('forward.unexpected-error', 'Unexpected error while forwarding request to bridge');
  if (cause !== undefined) error.cause = cause;
  return error;
}
