import { type JsonObject, LedgerError } from '@countersign/protocol';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type Answered, answerable } from './answered.js';
import { equalityKeywords } from './equality.js';
import { formats } from './formats.js';
import { judgeSchema } from './meta-schema.js';
import { Exhausted, Meter, meteredKeyword } from './meter.js';
import { Patterns } from './pattern.js';
import { type Prepared, prepare } from './prepare.js';

/** Steps of a tenth of a microsecond that it takes to compile a schema, or to compile it once more for its errors. */
export const STEPS_TO_COMPILE = 300_000;

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
 * Compiles a JSON Schema (draft-07) that a user wrote. Whatever it holds, this ends soon, and so does judging by it.
 *
 * @throws LedgerError `record.schema-invalid`, detail `Schema content is invalid` and the reason in
 *   `custom.error.message` (contract 02 §1.1), for what is no schema or asks for more than `limits.schema`
 *   lets it
 */
export function compileUserSchema(schema: JsonObject): UserSchema {
  try {
    judgeSchema(schema);
    return new CompiledSchema(prepare(schema, judgeSchema));
  } catch (error) {
    throw new LedgerError('record.schema-invalid', 'Schema content is invalid', { error: { message: reason(error) } });
  }
}

function reason(error: unknown): string {
  // The stack is the one resource that is not counted: a schema may nest references deeper than it reaches.
  if (error instanceof RangeError) return 'schema nests too deeply';
  return error instanceof Error ? error.message : 'schema cannot be compiled';
}

type Judgement = readonly ErrorObject[] | 'valid' | 'exhausted';

class CompiledSchema implements UserSchema {
  readonly weight: number;
  readonly #schema: JsonObject;
  readonly #meter = new Meter();
  readonly #patterns = new Patterns(this.#meter);
  readonly #formats = formats(this.#meter);
  /** Stops at the first error, so data that matches one of several alternatives is judged without waste. */
  readonly #first: ValidateFunction;
  /** Gathers all errors; most schemas never need it. */
  #every: ValidateFunction | undefined;

  constructor(prepared: Prepared) {
    this.#schema = prepared.schema;
    this.#first = this.#compile(false);
    this.weight = 20 + prepared.subschemas + 20 * this.#patterns.count;
  }

  check(data: JsonObject, note?: (steps: number) => void): void {
    this.#meter.start();
    try {
      this.#check(data);
    } finally {
      note?.(this.#meter.spent);
    }
  }

  #check(data: JsonObject): void {
    const judgement = this.#judge(this.#first, data);
    if (judgement === 'valid') return;
    if (judgement === 'exhausted') {
      throw new LedgerError('record.schema-invalid', 'Schema validator error: validation took too long');
    }
    // On what the first left over: data that took long to refuse is answered with the first error alone.
    const every = this.#judge(this.#gathering(), data);
    throw refusal(answerable(typeof every === 'string' ? judgement : every));
  }

  #judge(validate: ValidateFunction, data: JsonObject): Judgement {
    try {
      if (validate(data)) return 'valid';
      return validate.errors ?? [];
    } catch (error) {
      if (error instanceof Exhausted || error instanceof RangeError) return 'exhausted';
      throw error;
    } finally {
      validate.errors = null;
    }
  }

  #gathering(): ValidateFunction {
    try {
      this.#every ??= this.#compile(true);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // The schema nests so deeply that it only just compiled the first time.
      this.#every = this.#first;
    }
    return this.#every;
  }

  #compile(allErrors: boolean): ValidateFunction {
    const ajv = new Ajv({
      allErrors,
      strict: false,
      logger: false,
      meta: false,
      validateSchema: false,
      // Without it a schema would find `toString` and `constructor` in every object.
      ownProperties: true,
      formats: this.#formats,
      code: {
        optimize: false,
        regExp: Object.assign((source: string) => this.#patterns.compile(source), { code: 'pattern' }),
      },
    });
    ajv.addKeyword(meteredKeyword(this.#meter));
    for (const definition of equalityKeywords(this.#meter)) {
      ajv.removeKeyword(definition.keyword as string).addKeyword(definition);
    }
    return ajv.compile(this.#schema);
  }
}

function refusal(errors: readonly Answered[]): LedgerError {
  const texts = errors.map(({ instancePath, message }) => `data${instancePath.replaceAll('/', '.')} ${message}`);
  const detail = `Schema validator error: ${texts.join(', ')}`;
  return new LedgerError('record.schema-invalid', detail, { errors: [...errors] });
}
