import { isObject, type JsonObject, LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import { isInUse } from '../kinds/in-use.js';
import type { Kind } from '../kinds/kind.js';
import { domainsFrom, isWithin, type Ledger, type SchemaEntry } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';

/** The subject of users' schemas: a kind of record, or the data of an operation, by its name in `data.record`. */
export interface SchemaSubject {
  readonly name: string;
  readonly data: Pick<Kind['data'], 'schemas' | 'missingSchema'>;
}

/** Index entries whose schema record was read and agrees with them. A newer state of a ledger has new entries. */
const verifiedEntries = new WeakSet<SchemaEntry>();

/**
 * Checks `data` against the users' schema it names (interface/schemas#enforcement). Schemas in a domain are for records
 * there and below.
 *
 * @param domain that of the record
 * @throws `record.relation-not-found` when the kind has no such schema in use; `record.schema-invalid` when the data does not
 *   match it, or names none although the kind has schemas
 */
export async function checkUserSchema(
  session: Session,
  kind: SchemaSubject,
  data: JsonObject,
  domain: string | undefined,
): Promise<void> {
  if (kind.data.schemas === 'none') return;
  const { ledger, task } = session;
  const ofKind = ledger.schemas.get(kind.name);
  const { schema: handle } = data;
  if (typeof handle !== 'string') {
    if (ofKind && hasOneFor(ledger, ofKind, domain)) throw schemaMissing(kind);
    return;
  }
  const entry = ofKind?.get(handle);
  if (!entry || !isWithin(ledger, domain, entry.domain)) throw schemaNotFound(kind, handle);
  if (!isInUse(entry.status)) {
    const hint = `Schema ${handle} has the status ${entry.status}, and so counts as if there were none.`;
    throw schemaNotFound(kind, handle, { hint });
  }
  const known = verifiedEntries.has(entry) ? session.compiledSchemas.get(entry.hash) : undefined;
  const schema = known ?? (await compileEntry(session, entry, kind));
  await task.turn();
  schema.check(data);
}

async function compileEntry(session: Session, entry: SchemaEntry, kind: SchemaSubject) {
  const schema = await loadSchema(session, entry, kind);
  verifiedEntries.add(entry);
  const known = session.compiledSchemas.get(entry.hash);
  return known ?? session.compiledSchemas.add(entry.hash, schema, session.task);
}

type OfKind = ReadonlyMap<string, SchemaEntry>;

/** The domains that the schemas in use of a kind are in; `undefined` for outside all. Cached by identity of the map. */
const domainsOfSchemas = new WeakMap<OfKind, ReadonlySet<string | undefined>>();

/** Whether any of the schemas is for records in the domain. */
function hasOneFor(ledger: Ledger, ofKind: OfKind, domain: string | undefined): boolean {
  let known = domainsOfSchemas.get(ofKind);
  if (!known) {
    known = new Set([...ofKind.values()].filter(({ status }) => isInUse(status)).map((entry) => entry.domain));
    domainsOfSchemas.set(ofKind, known);
  }
  return known.has(undefined) || domainsFrom(ledger, domain).some(({ handle }) => known.has(handle));
}

function schemaNotFound({ name, data }: SchemaSubject, handle: string, custom?: JsonObject): LedgerError {
  const detail = data.missingSchema?.(handle) ?? `Schema ${handle} not found for record of type ${name}.`;
  return new LedgerError('record.relation-not-found', detail, custom);
}

function schemaMissing(kind: SchemaSubject): LedgerError {
  return new LedgerError(
    'record.schema-invalid',
    `There are schemas defined for record of type ${kind.name}, you must specify at least one.`,
  );
}

/**
 * The content of a schema, as of the ledger's state. Compiled schemas are shared between ledgers by hash, so newer
 * content must never be kept under an older hash.
 */
async function loadSchema(
  { ledger, integrity, findVersion }: Pick<Session, 'ledger' | 'integrity' | 'findVersion'>,
  { luid, hash, handle, domain, status }: SchemaEntry,
  { name }: SchemaSubject,
): Promise<JsonObject> {
  const record = await findVersion('schema', luid, 'luid');
  const schema = readJson(record?.body ?? '{"data":{}}') as RecordEnvelope;
  const { data, meta } = schema;
  // A schema is compiled under the hash in the index and then applied in every ledger with that hash: the two must
  // agree.
  const isIndexed =
    schema.hash === hash &&
    data.handle === handle &&
    data.record === name &&
    meta?.domain === domain &&
    meta.status === status;
  if (!isIndexed) {
    integrity.refuse({ ledger: ledger.luid, luid, change: record?.change ?? 0 }, 'is not what the index says');
  }
  return isObject(data.schema) ? data.schema : {};
}
