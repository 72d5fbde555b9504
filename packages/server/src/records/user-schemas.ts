import { isObject, type JsonObject, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { CompiledSchemas } from '../schemas/compiled.js';
import { STEPS_TO_COMPILE } from '../schemas/user-schema.js';
import type { Store } from '../store/store.js';
import type { Task } from '../work/task.js';
import { assertCurrent } from './attempt.js';

/** The users' schemas of every ledger, enforced. */
export interface UserSchemas {
  /**
   * Checks `data` against the schema it names (contract 02 §1.2, rules 1 to 3).
   *
   * @throws `record.relation-not-found` when there is no such schema for the kind; `record.schema-invalid` when the
   *   data does not match it, or names none although the kind has schemas
   */
  check(task: Task, ledger: Ledger, kind: Kind, data: JsonObject): Promise<void>;
}

export function createUserSchemas(store: Pick<Store, 'lookup'>, compiled: CompiledSchemas): UserSchemas {
  return {
    async check(task, ledger, kind, data) {
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
      let schema = compiled.get(entry.hash);
      if (!schema) {
        const text = await content(store, ledger, entry.luid);
        await task.turn(STEPS_TO_COMPILE);
        schema = compiled.add(entry.hash, text);
      }
      await task.turn();
      schema.check(data, (steps) => task.note(steps));
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
async function content(store: Pick<Store, 'lookup'>, ledger: Ledger, luid: string): Promise<JsonObject> {
  const { version, record } = await store.lookup({ ledger: ledger.id, kind: 'schema', id: luid, by: 'luid' });
  assertCurrent(ledger, version);
  const { data } = JSON.parse(record?.body ?? '{"data":{}}') as RecordEnvelope;
  return isObject(data.schema) ? data.schema : {};
}
