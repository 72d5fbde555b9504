import { Ajv, type CodeKeywordDefinition, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Bounds } from './bounds.js';
import { LOOP } from './code-size.js';
import { AllowedValues, equalityKeywords } from './equality.js';
import { firstErrors, type ValidationError } from './errors.js';
import { formats } from './formats.js';
import type { JsonObject } from './json.js';
import { assertDepth, judgeSchema } from './meta-schema.js';
import { Exhausted, Meter, makeMeteredKeyword } from './meter.js';
import { Patterns } from './pattern.js';
import { type PreparedSchema, prepareSchema } from './prepare.js';

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
  /** Steps that the validation took, and the first one that finds errors to compile the schema once more. */
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
  const slices = compileBySlices(schema, bounds);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/**
 * As `compileSchema`, in slices: one for each pattern, and one for everything else.
 *
 * @param turn awaited before each slice, with about the steps that it takes, each about a tenth of a microsecond; what it
 *   throws ends the work
 */
export async function compileInSlices(
  schema: JsonObject,
  bounds: Bounds,
  turn: (steps: number) => Promise<void> | undefined,
): Promise<CompiledSchema> {
  const slices = compileBySlices(schema, bounds);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
    await turn(value);
  }
}

/** Steps to read a schema and each of its characters, and to compile it for each keyword and character of code. */
const COMPILE_COST = { schema: 10_000, read: 5, keyword: 1_000, character: 0.05 };

/** @yields the steps that the next slice takes */
function* compileBySlices(schema: JsonObject, bounds: Bounds): Generator<number, CompiledSchema> {
  try {
    assertDepth(schema, bounds.depth);
    yield COMPILE_COST.schema + COMPILE_COST.read * JSON.stringify(schema).length;
    const judge = (part: unknown) => judgeSchema(part as JsonObject, bounds);
    judge(schema);
    const metered = new MeteredSchema(prepareSchema(schema, judge, bounds), bounds);
    yield* metered.compile();
    return metered;
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

/** Bytes of a compiled schema, and of each keyword beside its code. */
const COMPILED_BYTES = { schema: 20_000, keyword: 2_000 };

class MeteredSchema implements CompiledSchema {
  weight = 0;
  readonly #prepared: PreparedSchema;
  readonly #bounds: Bounds;
  readonly #meter: Meter;
  readonly #patterns: Patterns;
  readonly #formats: ReturnType<typeof formats>;
  readonly #keywords: readonly CodeKeywordDefinition[];
  readonly #allowed = new AllowedValues();
  /** Stops at the first error: the fastest way to judge data that matches one of several alternatives. */
  #first: ValidateFunction | undefined;
  /** Gathers all errors; compiled at first use. */
  #every: ValidateFunction | undefined;
  /** Bytes of the code. */
  #code = 0;

  constructor(prepared: PreparedSchema, bounds: Bounds) {
    this.#prepared = prepared;
    this.#bounds = bounds;
    this.#meter = new Meter(bounds);
    this.#patterns = new Patterns(this.#meter, bounds.pattern);
    this.#formats = formats(this.#meter);
    this.#keywords = [makeMeteredKeyword(this.#meter, bounds.name), ...equalityKeywords(this.#meter, this.#allowed)];
  }

  /** @yields the steps that the next slice takes */
  *compile(): Generator<number, void> {
    for (const source of this.#prepared.patterns) yield* this.#patterns.prepare(source);
    yield this.#stepsToCompile;
    this.#first = this.#compile(false);
    const { keywords, bytes } = this.#prepared;
    // Twice the code: nobody weighs the schema again when its errors are gathered.
    const code = 2 * this.#code + COMPILED_BYTES.keyword * keywords;
    this.weight = Math.ceil((COMPILED_BYTES.schema + bytes + code + this.#allowed.bytes + this.#patterns.bytes) / 1024);
  }

  get #stepsToCompile(): number {
    return COMPILE_COST.keyword * this.#prepared.keywords + COMPILE_COST.character * this.#prepared.characters;
  }

  validate(data: JsonObject): Verdict {
    this.#meter.start();
    const compiled = this.#every === undefined ? this.#stepsToCompile : 0;
    try {
      const judgement = this.#judge(this.#first as ValidateFunction, data);
      if (typeof judgement === 'string') return { outcome: judgement, errors: [], steps: this.#meter.spent };
      // With the steps that are left: data that took long to refuse is answered with the first error alone.
      const every = this.#judge(this.#gathering(), data);
      const errors = firstErrors(typeof every === 'string' ? judgement : every, this.#bounds);
      return { outcome: 'invalid', errors, steps: this.#meter.spent + compiled };
    } finally {
      this.#patterns.rest();
    }
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
    return this.#every as ValidateFunction;
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
      // Longer lists of names are read in a loop: written out, each takes as long to compile as a keyword.
      loopRequired: LOOP,
      code: {
        optimize: false,
        process: (code) => {
          this.#code += code.length * (BEYOND_LATIN_1.test(code) ? 2 : 1);
          return code;
        },
        regExp: Object.assign((source: string) => this.#patterns.compile(source), { code: 'pattern' }),
      },
    });
    for (const definition of this.#keywords) {
      ajv.removeKeyword(definition.keyword as string).addKeyword(definition);
    }
    return ajv.compile(this.#prepared.schema);
  }
}

/** A text with such a character takes two bytes for each. */
const BEYOND_LATIN_1 = /[^\0-\xff]/;
