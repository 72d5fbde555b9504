import {
  encodeBase64,
  isObject,
  type JsonObject,
  LedgerError,
  type RecordEnvelope,
  readJson,
  type Suite,
} from '@countersign/protocol';
import type { AccessPolicy } from '../access/context.js';
import { LruCache } from '../base/lru-cache.js';
import { createWeightedSemaphore } from '../base/weighted-semaphore.js';
import type { Integrity } from '../integrity/integrity.js';
import { createVeil, veilKeyOf } from '../integrity/veil.js';
import { countersigner, keylessSigner } from '../keys/countersigner.js';
import type { Keyring } from '../keys/keyring.js';
import { sealContext } from '../keys/seal.js';
import { isInUse } from '../kinds/in-use.js';
import type { Kind, KindName } from '../kinds/kind.js';
import { kindNamed } from '../kinds/registry.js';
import type { Scheduler } from '../metering/scheduler.js';
import type { Metrics } from '../metrics.js';
import type { LedgerStore, StoredLedger } from '../store/queries/ledgers.js';
import { accessOf, type Domain, type Ledger, type LedgerEffect, type SchemaEntry } from './ledger.js';
import { watchLedgers } from './metrics.js';
import { stateLimits } from './state-limits.js';
import { weighState } from './weight.js';

/** The ledgers of this deployment, as this process holds them. */
export type Ledgers = ReturnType<typeof createLedgers>;

/** Dependencies for making a ledger of its rows. */
interface LedgerDependencies {
  readonly keys: Keyring;
  readonly suite: Suite;
  readonly integrity: Pick<Integrity, 'refuse'>;
  /** Gives each ledger its turn to be parsed. */
  readonly scheduler: Scheduler;
  /** Tells what is held; nobody is told unless given. */
  readonly metrics?: Pick<Metrics, 'registry'>;
}

export function createLedgers(store: LedgerStore, deps: LedgerDependencies) {
  const held = new LruCache<string, Ledger>(stateLimits.held, ({ memory }) => memory);
  const loading = new Map<string, Promise<Ledger>>();
  const { concurrency, size, ...patience } = stateLimits.loads;
  const semaphore = createWeightedSemaphore({ ...patience, process: concurrency, ledger: 1 });
  const room = createWeightedSemaphore({ ...patience, process: size, ledger: size });
  let loads = 0;
  if (deps.metrics) watchLedgers(deps.metrics, () => ({ held: held.size, loads }));

  /**
   * Loads and parses the ledger. Small ones load at once; a large one takes memory and time until it is parsed, so it
   * waits for room, and is then read from the start.
   */
  const read = async (id: string, before: number): Promise<Ledger | undefined> => {
    const made = async (stored: StoredLedger) =>
      assembleLedger(stored, await parseRecords(stored, deps.scheduler), before, deps);
    const small = await semaphore(id, 1, () => store.find(id, stateLimits.loads.small));
    if (!small) return undefined;
    if (!('size' in small)) return made(small);
    return room(id, small.size, async () => {
      const stored = await store.find(id);
      return stored && made(stored);
    });
  };

  const load = (id: string): Promise<Ledger> => {
    const underWay = loading.get(id);
    if (underWay) return underWay;
    loads += 1;
    const before = loads;
    const load = read(id, before)
      .then((ledger) => {
        if (!ledger) throw new LedgerError('api.route-not-found', 'Server does not host requested ledger');
        return keep(id, ledger);
      })
      .finally(() => loading.delete(id));
    loading.set(id, load);
    return load;
  };

  /** Of two loads of one ledger the older may end later: the newer one stays. */
  const keep = (id: string, loaded: Ledger): Ledger => {
    const before = held.get(id);
    const ledger = before && before.loadNumber > loaded.loadNumber ? before : loaded;
    held.set(id, ledger);
    return ledger;
  };

  return {
    /** The ledger of that handle or luid, if this process has it at hand. */
    find(id: string): Ledger | undefined {
      return held.get(id);
    },
    /**
     * The ledger of that handle or luid.
     *
     * @throws `api.route-not-found` for an unknown ledger (interface/ledgers#choosing-a-ledger)
     */
    async resolve(id: string): Promise<Ledger> {
      return held.get(id) ?? load(id);
    },
    /**
     * The ledger at `version` or later; `ledger` itself when it is at that version. A state at a later version than the
     * database's is loaded anew as well: it comes from a past that the database has lost.
     */
    async renew(stale: Ledger, version: number): Promise<Ledger> {
      if (stale.version === version) return stale;
      const newer = [held.get(stale.handle), held.get(stale.luid)].find(
        (one) => one?.luid === stale.luid && one.loadNumber > stale.loadNumber && one.version >= version,
      );
      // Under both names, so that every later request begins with the new state.
      const ledger = newer ?? (await load(stale.luid));
      keep(stale.luid, ledger);
      return keep(stale.handle, ledger);
    },
  };
}

/** Characters of a schema, of which only the names are held. */
const SCHEMA_CHARACTERS = 200;

/** A record that the state of a ledger is made of. */
interface HeldRecord {
  readonly kind: KindName;
  readonly luid: string;
  readonly change: number;
  readonly record: RecordEnvelope;
}

/**
 * The records of a ledger, parsed. Together they may be as long as `stateLimits.characters`, so other ledgers get turns in
 * between.
 */
async function parseRecords(stored: StoredLedger, scheduler: Scheduler): Promise<HeldRecord[]> {
  const task = scheduler.task(stored.id, () => false);
  const records: HeldRecord[] = [];
  for (const { kind, luid, change, body } of stored.bodies) {
    await task.turn();
    records.push({ kind, luid, change, record: readJson(body) as RecordEnvelope });
  }
  return records;
}

/**
 * A ledger made from its rows.
 *
 * @throws Corrupt when the rows contradict each other: the records were verified, but their index was not
 */
function assembleLedger(
  stored: StoredLedger,
  records: readonly HeldRecord[],
  loadNumber: number,
  { keys, suite, integrity }: LedgerDependencies,
): Ledger {
  const misled = (luid: string) =>
    integrity.refuse({ ledger: stored.luid, luid, change: 1 }, 'is not what the index says');
  const own = records.find((one) => isPart('ledger', one) && one.luid === stored.luid)?.record;
  if (own?.data.handle !== stored.handle) return misled(stored.luid);
  const signer = (handle: string) => {
    const key = stored.keys.find((one) => one.handle === handle);
    if (!key) throw new Error(`Ledger ${stored.handle} has no signer ${handle}.`);
    if (!key.sealed || key.name === null) return keylessSigner(handle, key.public);
    const secret = keys.open(key.sealed, sealContext(stored.luid, key.luid, key.name));
    if (encodeBase64(suite.publicKey(secret)) !== key.public) return misled(key.luid);
    return countersigner(handle, { public: key.public, secret }, suite);
  };
  return {
    id: stored.id,
    handle: stored.handle,
    luid: stored.luid,
    version: stored.version,
    loadNumber,
    weight: stored.bodies.reduce((sum, { body }) => sum + body.length, SCHEMA_CHARACTERS * stored.schemas.length),
    memory: weighState(
      records.map(({ record }) => record),
      stored.schemas.length,
    ),
    ...(stored.keys.some(({ sealed }) => !sealed) ? { isReadOnly: true } : {}),
    ...(stored.suspended === null
      ? {}
      : { suspension: { level: stored.suspended, reason: stored.suspendedWhy ?? '' } }),
    owners: own.meta.owners,
    access: accessOf(own),
    config: isObject(own.data.config) ? own.data.config : {},
    record: own,
    policies: new Map(
      records.filter((one) => isPart('policies', one)).map(({ record }) => [handleOfRecord(record), toPolicy(record)]),
    ),
    domains: new Map(
      records.filter((one) => isPart('domains', one)).map(({ record }) => [handleOfRecord(record), toDomain(record)]),
    ),
    schemas: schemasOf(stored),
    effects: effectsOf(records.filter((one) => isPart('effects', one))),
    system: signer('system'),
    auth: signer('system.auth'),
    core: signer('core'),
    veil: createVeil(veilKeyOf(keys, stored.luid, stored.veil)),
  };
}

/** Whether the record belongs to that part of the ledger's state. */
function isPart(part: NonNullable<Kind['access']['part']>, { kind }: HeldRecord): boolean {
  return kindNamed(kind).access.part === part;
}

function handleOfRecord(record: RecordEnvelope): string {
  return record.data.handle as string;
}

function toPolicy(record: RecordEnvelope): AccessPolicy {
  const { data, meta } = record;
  return { ...(data as object), status: meta.status, domain: meta.domain } as unknown as AccessPolicy;
}

function toDomain(record: RecordEnvelope): Domain {
  const domain: Domain = { handle: handleOfRecord(record), access: accessOf(record) };
  return record.meta.domain === undefined ? domain : { ...domain, parent: record.meta.domain };
}

function effectsOf(records: readonly HeldRecord[]): Ledger['effects'] {
  const effects = new Map<string, LedgerEffect[]>();
  for (const { luid, change, record } of records) {
    const { signal, filter, action } = record.data as {
      signal: string;
      filter?: JsonObject;
      action: LedgerEffect['action'];
    };
    const effect: LedgerEffect = {
      handle: handleOfRecord(record),
      luid,
      change,
      action,
      isInUse: isInUse(record.meta.status),
      filter,
      domain: record.meta.domain,
    };
    const others = effects.get(signal);
    if (others) others.push(effect);
    else effects.set(signal, [effect]);
  }
  return effects;
}

function schemasOf(stored: StoredLedger): Ledger['schemas'] {
  const schemas = new Map<KindName, Map<string, SchemaEntry>>();
  for (const { handle, luid, hash, link, domain, status } of stored.schemas) {
    const kind = link as KindName;
    const ofKind = schemas.get(kind) ?? new Map<string, SchemaEntry>();
    const place = domain === null ? {} : { domain };
    schemas.set(kind, ofKind.set(handle, { handle, luid, hash, ...place, ...(status === null ? {} : { status }) }));
  }
  return schemas;
}
