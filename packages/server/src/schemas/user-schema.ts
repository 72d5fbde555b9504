import { type JsonObject, LedgerError } from '@countersign/protocol';
import { type CompiledSchema, compileSchema, SchemaError, type Verdict } from '@countersign/safe-json-schema';
import { limits } from '../limits.js';

/** Steps of a tenth of a microsecond that it takes to compile a schema, or to compile it once more for its errors. */
export const STEPS_TO_COMPILE = 300_000;

const bounds = { ...limits.schema, steps: limits.validation * limits.schema.unitsPerMillisecond };

/** A compiled user schema. */
export interface UserSchema {
  /** About how many kilobytes of memory it takes. */
  readonly weight: number;
  /**
   * Judges the `data` of a record (contract 02 §1.2).
   *
   * @param note told how many steps it took, whatever came of it
   * @throws LedgerError `record.schema-invalid` with all errors in the form of contract 01 §12, up to `limits.schema.answered`
   *   of them, when `data` does not match, or without a list when judging it would take too long
   */
  check(data: JsonObject, note?: (steps: number) => void): void;
}

/**
 * Compiles a JSON Schema (draft-07) that a user wrote. Whatever it holds, this ends soon, and so does judging by it
 * (decision 0007).
 *
 * @throws LedgerError `record.schema-invalid`, detail `Schema content is invalid` and the reason in
 *   `custom.error.message` (contract 02 §1.1), for what is no schema or asks for more than `limits.schema`
 *   lets it
 */
export function compileUserSchema(schema: JsonObject): UserSchema {
  const compiled = compile(schema);
  return {
    weight: compiled.weight,
    check(data, note) {
      const verdict = compiled.validate(data);
      note?.(verdict.steps);
      if (verdict.outcome !== 'valid') throw refusal(verdict);
    },
  };
}

function compile(schema: JsonObject): CompiledSchema {
  try {
    return compileSchema(schema, bounds);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new LedgerError('record.schema-invalid', 'Schema content is invalid', { error: { message: error.message } });
  }
}

function refusal({ outcome, errors }: Verdict): LedgerError {
  if (outcome === 'exhausted') {
    return new LedgerError('record.schema-invalid', 'Schema validator error: validation took too long');
  }
  const texts = errors.map(({ instancePath, message }) => `data${instancePath.replaceAll('/', '.')} ${message}`);
  const detail = `Schema validator error: ${texts.join(', ')}`;
  return new LedgerError('record.schema-invalid', detail, { errors: [...errors] });
}
