import { type Bounds, type CompiledSchema, compileSchema, SchemaError } from '../src/index.js';
import type { Json, JsonObject } from '../src/json.js';

/** Bounds of a service that answers many clients from one thread. */
export const bounds: Bounds = {
  bytes: 64 * 1024,
  depth: 32,
  subschemas: 300,
  keywords: 600,
  code: 2 * 1024 * 1024,
  pattern: { characters: 1_024, instructions: 2_000, together: 10_000, count: 100, properties: 500 },
  steps: 600_000,
  gathered: 2_000,
  name: 1_024,
  answered: { errors: 100, characters: 64 * 1024 },
  text: 1_024,
};

/** What such a service lets in: nesting of arrays and objects in the data, and how many JSON values. */
export const data = { depth: 64, values: 50_000 };

/** An object of so many members, `p0` and so on. */
export function members<T extends Json>(count: number, make: (index: number) => T): { [name: string]: T } {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, make(i)]));
}

/** So many characters, none like another or next to it. */
export function distinct(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String.fromCharCode(0x4e00 + 2 * i));
}

/** Compiles a schema within `bounds`. */
export function compile(schema: object): CompiledSchema {
  return compileSchema(schema as JsonObject, bounds);
}

/** Whether data is valid, or why nothing is known of it. */
export function outcome(schema: CompiledSchema, value: object): string {
  return schema.validate(value as JsonObject).outcome;
}

/** The message for the author of a schema that is refused. Fails when it compiles, or when anything else is thrown. */
export function refusal(schema: object): string {
  try {
    compile(schema);
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Milliseconds of processor time that `run` takes, whether or not it throws. */
export function effort(run: () => void): number {
  const before = process.cpuUsage();
  try {
    run();
  } catch {
    // Only the time counts here.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A text of zeros and ones without a pattern, the same each time. */
export function bits(length: number): string {
  let state = 1;
  let text = '';
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state >>> 31;
  }
  return text;
}
