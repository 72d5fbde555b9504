import { isObject, type JsonObject, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Integrity } from '../integrity/integrity.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger, SchemaEntry } from '../ledgers/ledger.js';
import type { CompiledSchemas } from '../schemas/compiled.js';
import type { Store } from '../store/store.js';
import { assertCurrent } from './attempt.js';

/** The users' schemas of every ledger, enforced. */
export interface UserSchemas {
  /**
   * Checks `data` against the schema it names (contract 02 §1.2, rules 1 to 3).
   *
   * @throws `record.relation-not-found` when there is no such schema for the kind; `record.schema-invalid` when the
   *   data does not match it, or names none although the kind has schemas
   */
  check(ledger: Ledger, kind: Kind, data: JsonObject): Promise<void>;
}

export function createUserSchemas(
  store: Pick<Store, 'lookup'>,
  integrity: Pick<Integrity, 'refuse'>,
  compiled: CompiledSchemas,
): UserSchemas {
  /** Entries of the index whose schema was read, and is what they say. A newer state of a ledger has new ones. */
  const read = new WeakSet<SchemaEntry>();
  const compiledFrom = async (ledger: Ledger, entry: SchemaEntry, kind: Kind) => {
    const schema = await content(store, integrity, ledger, entry, kind);
    read.add(entry);
    return compiled.get(entry.hash) ?? compiled.add(entry.hash, schema);
  };
  return {
    async check(ledger, kind, data) {
      if (kind.schemas === 'none') return;
      const ofKind = ledger.schemas.get(kind.name);
      const { schema: handle } = data;
      if (typeof handle !== 'string') {
        if (ofKind?.size) throw unnamed(kind);
        return;
      }
      const entry = ofKind?.get(handle);
      if (!entry) {
        if (kind.freeSchemas) return;
        const detail = kind.missingSchema?.(handle) ?? `Schema ${handle} not found for record of type ${kind.name}.`;
        throw new LedgerError('record.relation-not-found', detail);
      }
      const known = read.has(entry) ? compiled.get(entry.hash) : undefined;
      const schema = known ?? (await compiledFrom(ledger, entry, kind));
      schema.check(data);
    },
  };
}

function unnamed(kind: Kind): LedgerError {
  return new LedgerError(
    'record.schema-invalid',
    `There are schemas defined for record of type ${kind.name}, you must specify at least one.`,
  );
}

/**
 * The content of a schema, as of the ledger's state: what is kept under its hash serves every ledger that has the same,
 * so a newer content must never be kept under an older hash.
 */
async function content(
  store: Pick<Store, 'lookup'>,
  integrity: Pick<Integrity, 'refuse'>,
  ledger: Ledger,
  { luid, hash, handle }: SchemaEntry,
  { name }: Kind,
): Promise<JsonObject> {
  const { version, record } = await store.lookup({ ledger: ledger.id, kind: 'schema', id: luid, by: 'luid' });
  assertCurrent(ledger, version);
  const schema = JSON.parse(record?.body ?? '{"data":{}}') as RecordEnvelope;
  const { data } = schema;
  // The index says by what hash a schema is compiled, and so what every ledger's records are judged by that has one of it.
  if (schema.hash !== hash || data.handle !== handle || data.record !== name) {
    integrity.refuse({ ledger: ledger.luid, luid, change: record?.change ?? 0 }, 'is not what the index says');
  }
  return isObject(data.schema) ? data.schema : {};
}
