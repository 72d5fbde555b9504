import { isObject, type JsonObject, LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import { isInUse } from '../kinds/in-use.js';
import type { Kind, KindName } from '../kinds/kind.js';
import { scheduleLimits } from '../kinds/policies/policy-limits.js';
import { domainsFrom, isInDomain, type Ledger, type SchemaEntry } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { stateLimits } from '../ledgers/state-limits.js';

/** Runs the kind's own checks of data, beyond its request schema. Throws what the kind throws. */
export async function checkData(
  kind: Kind,
  { ledger, task }: Pick<Session, 'ledger' | 'task'>,
  data: JsonObject,
  previous?: JsonObject,
): Promise<void> {
  await task.turn();
  await kind.data.check?.(data, previous, ledger.config, task);
}

/**
 * Bounds the state of a ledger, which every process loads as a whole after each change. Records in domains get only
 * part of it: otherwise a caller with rights in one domain could fill it, and keep the ledger from changing its own
 * rules.
 *
 * @param domain the one that the record is in
 * @throws `record.invalid` when the ledger would hold more than `stateLimits.characters`; for a record in a domain, more than
 *   `stateLimits.forDomains`; for a new effect or schedule, when there are as many as there may be
 */
export function assertStateFits(
  kind: Kind,
  ledger: Ledger,
  domain: string | undefined,
  data: JsonObject,
  previous?: JsonObject,
): void {
  if (kind.access.part === undefined) return;
  if (kind.access.part === 'effects' && !previous) assertRoomForEffect(ledger, domain);
  if (isSchedule(kind, data) && !isSchedule(kind, previous)) assertScheduleFits(ledger, domain);
  const grows = JSON.stringify(data).length - (previous ? JSON.stringify(previous).length : 0);
  assertGrowthFits(kind, ledger, domain, grows);
}

/**
 * The same for a record that a proof makes longer by so many characters.
 *
 * @throws as `assertStateFits` does
 */
export function assertGrowthFits(kind: Kind, ledger: Ledger, domain: string | undefined, grows: number): void {
  if (kind.access.part === undefined) return;
  const most = domain === undefined ? stateLimits.characters : stateLimits.forDomains;
  if (grows <= 0 || ledger.weight + grows <= most) return;
  const detail = `Policies, domains, schemas and effects of a ledger may hold ${most} characters together`;
  throw new LedgerError('record.invalid', domain === undefined ? detail : `${detail} when one in a domain is added`);
}

/**
 * Bounds the effects of a ledger. Of creates that are decided at the same moment, as many as one commit holds may go
 * beyond.
 */
function assertRoomForEffect({ effects }: Ledger, domain: string | undefined): void {
  const all = [...effects.values()].flat();
  const { count, inDomains } = stateLimits.effects;
  if (all.length >= count) throw new LedgerError('record.invalid', `A ledger may have ${count} effects`);
  if (domain === undefined || all.filter((effect) => effect.domain !== undefined).length < inDomains) return;
  throw new LedgerError('record.invalid', `A ledger may have ${inDomains} effects in domains`);
}

function isSchedule({ access }: Kind, data: JsonObject | undefined): boolean {
  return access.part === 'policies' && data?.schema === 'schedule';
}

/** Each schedule makes work that no request waits for, every minute at most. */
function assertScheduleFits(ledger: Ledger, domain: string | undefined): void {
  const { policies, inDomains } = scheduleLimits;
  const most = domain === undefined ? policies : inDomains;
  const held = [...ledger.policies.values()].filter(({ schema }) => schema === 'schedule').length;
  if (held < most) return;
  const detail = `A ledger may have ${most} schedule policies`;
  throw new LedgerError('record.invalid', domain === undefined ? detail : `${detail} when one in a domain is added`);
}

/** A record that data names. */
export interface RelatedRecord {
  readonly kind: KindName;
  readonly handle: string;
  /** The domain it is in. */
  readonly domain?: string;
}

/**
 * The records `data` names, checked to exist. The commit checks again, and keeps them from being dropped meanwhile.
 *
 * @throws `record.relation-not-found` for the first one missing, in the kind's order (interface/errors#details)
 */
export async function findRelations(session: Session, kind: Kind, data: JsonObject): Promise<RelatedRecord[]> {
  const relations = kind.links.relations?.(data) ?? [];
  const found = await Promise.all(
    relations.map((relation) =>
      session.store.findVersion({ ledger: session.ledger.id, kind: relation.kind, id: relation.handle, by: 'handle' }),
    ),
  );
  found.forEach(({ version, record }, index) => {
    session.assertFresh({ version: version });
    if (!record) throw new LedgerError('record.relation-not-found', relations[index]?.missing ?? '');
  });
  return relations.map(({ kind: related, handle }, index) => {
    const domain = session.ledger.domains.size === 0 ? undefined : domainIn(found[index]?.record?.body);
    return { kind: related, handle, domain };
  });
}

function domainIn(body = '{"meta":{}}'): string | undefined {
  return (readJson(body) as RecordEnvelope).meta.domain;
}

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
  if (!entry || !isInDomain(ledger, domain, entry.domain)) throw schemaNotFound(kind, handle);
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
