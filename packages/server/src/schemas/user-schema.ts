import { type JsonObject, LedgerError } from '@countersign/protocol';
import { type CompiledSchema, compileInSlices, SchemaError, type Verdict } from '@countersign/safe-json-schema';
import type { Task } from '../metering/task.js';
import { schemaLimits } from './schema-limits.js';

const bounds = { ...schemaLimits, steps: schemaLimits.validation * schemaLimits.unitsPerMillisecond };

/** A compiled user schema. */
export interface UserSchema {
  /** Approximate memory in kilobytes. */
  readonly weight: number;
  /**
   * Judges the `data` of a record (interface/schemas#enforcement).
   *
   * @param note receives the steps that it took, on success and on failure
   * @throws LedgerError `record.schema-invalid` when `data` does not match: with all errors in the form of
   *   interface/errors#schema-errors, up to `schemaLimits.answered` of them. Without a list when judging it takes too
   *   long
   */
  check(data: JsonObject, note?: (steps: number) => void): void;
}

/**
 * Compiles a JSON Schema (draft-07) that a user wrote. Compiling and judging end soon, whatever the schema holds
 * (decision 0006).
 *
 * @param task gives the work its turns: there may be some fifty milliseconds between two
 * @throws LedgerError `record.schema-invalid`, detail `Schema content is invalid` and the reason in
 *   `custom.error.message` (interface/schemas#fields), for an invalid schema and for one that exceeds `schemaLimits`
 */
export async function compileUserSchema(schema: JsonObject, task: Pick<Task, 'turn'>): Promise<UserSchema> {
  const compiled = await compileWithinBounds(schema, task);
  return {
    weight: compiled.weight,
    check(data, note) {
      const verdict = compiled.validate(data);
      note?.(verdict.steps);
      if (verdict.outcome !== 'valid') throw userSchemaError(verdict);
    },
  };
}

async function compileWithinBounds(schema: JsonObject, task: Pick<Task, 'turn'>): Promise<CompiledSchema> {
  try {
    return await compileInSlices(schema, bounds, () => task.turn());
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new LedgerError('record.schema-invalid', 'Schema content is invalid', { error: { message: error.message } });
  }
}

function userSchemaError({ outcome, errors }: Verdict): LedgerError {
  if (outcome === 'exhausted') {
    return new LedgerError('record.schema-invalid', 'Schema validator error: validation took too long');
  }
  const texts = errors.map(({ instancePath, message }) => `data${instancePath.replaceAll('/', '.')} ${message}`);
  const detail = `Schema validator error: ${texts.join(', ')}`;
  return new LedgerError('record.schema-invalid', detail, { errors: [...errors] });
}
