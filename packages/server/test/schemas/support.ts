import { type JsonObject, LedgerError } from '@countersign/protocol';
import { UNBOUNDED } from '../../src/metering/task.js';
import { compileUserSchema, type UserSchema } from '../../src/schemas/user-schema.js';

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
    return flatten(error);
  }
  throw new Error('nothing was refused');
}

/** As `refusal`, of what may end later. */
export async function refusalOf(run: () => unknown) {
  try {
    await run();
  } catch (error) {
    return flatten(error);
  }
  throw new Error('nothing was refused');
}

function flatten(error: unknown) {
  if (!(error instanceof LedgerError)) throw error;
  const { errors, error: content } = (error.custom ?? {}) as { errors?: SchemaError[]; error?: { message: string } };
  return { reason: error.reason, detail: error.detail, errors, message: content?.message };
}

/** Compiles a user schema. */
export function compile(schema: object): Promise<UserSchema> {
  return compileUserSchema(schema as JsonObject, UNBOUNDED);
}
