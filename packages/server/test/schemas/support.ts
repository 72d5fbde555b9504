import { LedgerError } from '@countersign/protocol';

interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message: string;
  readonly path?: string;
}

/** What `run` refuses with, flattened for comparison. Fails when it refuses nothing or with anything else. */
export function refusal(run: () => void) {
  try {
    run();
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const { errors, error: content } = (error.custom ?? {}) as { errors?: SchemaError[]; error?: { message: string } };
    return { reason: error.reason, detail: error.detail, errors, message: content?.message };
  }
  throw new Error('nothing was refused');
}
