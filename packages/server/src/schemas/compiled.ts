import type { JsonObject } from '@countersign/protocol';
import { limits } from '../limits.js';
import { compileUserSchema, type UserSchema } from './user-schema.js';

/**
 * User schemas in compiled form, the most recently used ones. All ledgers share it: what is kept is a function of the
 * schema's text and of nothing else, found only by someone who already holds the record with that hash, so it carries
 * nothing from one tenant to another.
 */
export class CompiledSchemas {
  /** In order of use, the oldest first. */
  readonly #kept = new Map<string, UserSchema>();
  #weight = 0;

  /** How many schemas are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** The compiled form of the schema in the record with this hash, if it is kept. */
  get(hash: string): UserSchema | undefined {
    const known = this.#kept.get(hash);
    if (known !== undefined) {
      this.#kept.delete(hash);
      this.#kept.set(hash, known);
    }
    return known;
  }

  /**
   * Compiles and keeps the schema of a schema record (contract 02 §1.2).
   *
   * @param hash the hash of the record's data
   * @param schema `schema` of that very data: every ledger that holds a record with this hash is judged by it
   * @throws LedgerError `record.schema-invalid` when the content is no usable schema
   */
  add(hash: string, schema: JsonObject): UserSchema {
    const compiled = compileUserSchema(schema);
    this.#drop(hash);
    this.#kept.set(hash, compiled);
    this.#weight += compiled.weight;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= limits.compiled && this.#weight <= limits.schema.compiledWeight) break;
      this.#drop(oldest);
    }
    return compiled;
  }

  #drop(hash: string): void {
    this.#weight -= this.#kept.get(hash)?.weight ?? 0;
    this.#kept.delete(hash);
  }
}
