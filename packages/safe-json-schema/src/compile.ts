import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Bounds } from './bounds.js';
import { equalityKeywords } from './equality.js';
import { firstErrors, type ValidationError } from './errors.js';
import { formats } from './formats.js';
import type { JsonObject } from './json.js';
import { judgeSchema } from './meta-schema.js';
import { Exhausted, Meter, makeMeteredKeyword } from './meter.js';
import { Patterns } from './pattern.js';
import { type PreparedSchema, prepare } from './prepare.js';

/** The schema violates JSON Schema draft-07, or exceeds the bounds. The message is for its author. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** The result of a validation. */
export interface Verdict {
  /** `exhausted`: the validation exceeded its bound on steps, errors or call stack; the data stays unjudged. */
  readonly outcome: 'valid' | 'invalid' | 'exhausted';
  /**
   * All errors up to `Bounds.answered`; only the first one where gathering them took too long. Empty unless invalid.
   */
  readonly errors: readonly ValidationError[];
  /** Steps that the validation took. */
  readonly steps: number;
}

/** A compiled schema. */
export interface CompiledSchema {
  /** About how many kilobytes of memory it takes. */
  readonly weight: number;
  /** Validates parsed JSON. The time it takes is bounded by `Bounds.steps`, whatever the schema and the data. */
  validate(data: JsonObject): Verdict;
}

/**
 * Compiles a JSON Schema (draft-07). The time this takes is bounded, whatever the schema holds.
 *
 * @param schema is left as it is
 * @throws SchemaError for an invalid schema, and for one over the bounds
 */
export function compileSchema(schema: JsonObject, bounds: Bounds): CompiledSchema {
  try {
    const judge = (part: unknown) => judgeSchema(part as JsonObject, bounds);
    judge(schema);
    return new MeteredSchema(prepare(schema, judge, bounds), bounds);
  } catch (error) {
    throw new SchemaError(reason(error));
  }
}

function reason(error: unknown): string {
  // The call stack is the one resource left uncounted: nested references may exceed it.
  if (error instanceof RangeError) return 'schema nests too deeply';
  return error instanceof Error ? error.message : 'schema cannot be compiled';
}

type ValidationOutcome = readonly ErrorObject[] | 'valid' | 'exhausted';

class MeteredSchema implements CompiledSchema {
  readonly weight: number;
  readonly #schema: JsonObject;
  readonly #bounds: Bounds;
  readonly #meter: Meter;
  readonly #patterns: Patterns;
  readonly #formats: ReturnType<typeof formats>;
  /** Stops at the first error: the fastest way to judge data that matches one of several alternatives. */
  readonly #first: ValidateFunction;
  /** Gathers all errors; compiled at first use. */
  #every: ValidateFunction | undefined;

  constructor(prepared: PreparedSchema, bounds: Bounds) {
    this.#schema = prepared.schema;
    this.#bounds = bounds;
    this.#meter = new Meter(bounds);
    this.#patterns = new Patterns(this.#meter, bounds.pattern);
    this.#formats = formats(this.#meter);
    this.#first = this.#compile(false);
    this.weight = 20 + prepared.subschemas + 20 * this.#patterns.count;
  }

  validate(data: JsonObject): Verdict {
    this.#meter.start();
    const judgement = this.#judge(this.#first, data);
    if (typeof judgement === 'string') return { outcome: judgement, errors: [], steps: this.#meter.spent };
    // With the steps that are left: data that took long to refuse is answered with the first error alone.
    const every = this.#judge(this.#gathering(), data);
    const errors = firstErrors(typeof every === 'string' ? judgement : every, this.#bounds);
    return { outcome: 'invalid', errors, steps: this.#meter.spent };
  }

  #judge(validate: ValidateFunction, data: JsonObject): ValidationOutcome {
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
      // Hides inherited members from schemas, such as `toString` and `constructor`.
      ownProperties: true,
      formats: this.#formats,
      code: {
        optimize: false,
        regExp: Object.assign((source: string) => this.#patterns.compile(source), { code: 'pattern' }),
      },
    });
    ajv.addKeyword(makeMeteredKeyword(this.#meter, this.#bounds.name));
    for (const definition of equalityKeywords(this.#meter)) {
      ajv.removeKeyword(definition.keyword as string).addKeyword(definition);
    }
    return ajv.compile(this.#schema);
  }
}
