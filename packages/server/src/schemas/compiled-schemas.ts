import type { JsonObject } from '@countersign/protocol';
import { LruCache } from '../base/lru-cache.js';
import type { Task } from '../metering/task.js';
import { schemaLimits } from './schema-limits.js';
import { compileUserSchema, type UserSchema } from './user-schema.js';

/**
 * LRU cache of compiled user schemas, shared by all ledgers. An entry depends on the text of the schema alone, and is
 * found by the hash of a schema record that the caller's ledger holds; so it carries nothing from one tenant to
 * another.
 */
export class CompiledSchemas {
  readonly #kept = new LruCache<string, UserSchema>(
    schemaLimits.compiledWeight,
    ({ weight }) => weight,
    schemaLimits.compiled,
  );

  /** How many schemas are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** The compiled form of the schema in the record with this hash, if it is kept. */
  get(hash: string): UserSchema | undefined {
    return this.#kept.get(hash);
  }

  /**
   * Compiles and keeps the schema of a schema record (interface/schemas#enforcement).
   *
   * @param hash the hash of the record's data
   * @param schema `schema` of that very data: every ledger that holds a record with this hash is judged by it
   * @param task charged for the work
   * @throws LedgerError `record.schema-invalid` when the content is unusable as a schema
   */
  async add(hash: string, schema: JsonObject, task: Pick<Task, 'turn'>): Promise<UserSchema> {
    const compiled = await compileUserSchema(schema, task);
    this.#kept.set(hash, compiled);
    return compiled;
  }
}
