import { readJson } from '@countersign/protocol';
import type pg from 'pg';
import { gather, gatherLimits } from '../base/gather.js';
import { isSerializationFailure, type Runner, storeInTransaction } from './committer/batch.js';
import type { NewDelivery, Write, WriteOutcome } from './committer/write.js';
import { DELIVERY_COLUMNS, type DeliveryColumns, withoutNulls } from './outbox/delivery-columns.js';
import { textArray } from './parameters.js';
import { versionsOf } from './queries/version.js';
import { ROW_BYTES } from './quotas.js';
import { addBytes } from './stored-bytes.js';
import { transaction } from './transaction.js';

/** Erasures of records. */
export const erasureLimits = {
  /** Characters of the reason. */
  reason: 1_000,
  /** Attempts at an erasure while changes of the record wait to be sealed. */
  tries: 50,
  /** Milliseconds between these attempts. */
  pause: 100,
  /** Erasures that are stored at a time, each of another ledger: fewer than the connections. */
  concurrency: 2,
  /** Texts of a record that are read at a time. */
  texts: 8,
  /** Deliveries that are read at a time. */
  deliveries: 500,
} as const;

/** An erasure as it was decided: the change that says so, and what replaces that which is kept without its text. */
export interface Erasure {
  readonly write: Write;
  /** The key that a version of the record has had; absent where its kind has none. @param body of a version */
  readonly keyOf?: ((body: string) => string | undefined) | undefined;
  /** Names of the record that stay taken, as texts (kinds/erasable.ts). */
  readonly names: readonly string[];
  /** The name of a used proof, or of a record, under the key of the ledger. */
  readonly veil: (use: string) => string;
  /** The authentication code of a delivery. */
  readonly deliveryMac: (ledger: number, delivery: Omit<NewDelivery, 'mac'>) => string;
}

/** Leaves of the record, or of before the log, wait to be sealed: what they are salted with is in the queue. */
export class Unsealed extends Error {
  constructor() {
    super('Changes of the record wait to be sealed into the log.');
  }
}

/** What else the database has of a record. Nothing is added to a dropped one; to one in force only with another change. */
interface Traces {
  readonly uses: readonly string[];
  readonly keys: readonly string[];
  readonly deliveries: readonly string[];
}

/**
 * Erases records, a few at a time, and of one ledger one: each holds a connection, and waits for locks that others of its
 * ledger hold.
 *
 * @throws as `commitErasure` does; Overloaded when too many wait
 */
export function createErasing(pool: pg.Pool): (erasure: Erasure) => Promise<WriteOutcome> {
  const bounds = { batch: 1, queue: gatherLimits.queue, concurrency: erasureLimits.concurrency, each: 1 };
  const apart = ({ write }: Erasure) => write.ledger;
  return gather<Erasure, WriteOutcome>(async ([one]) => [await commitErasure(pool, one!)], { ...bounds, apart });
}

/**
 * Stores the change that says that a record is erased, and forgets the texts of all earlier ones with all that was made of
 * them alone: hashes, authentication codes, salts of leaves, names of used proofs, what deliveries say of it. All of it is
 * one transaction.
 *
 * @returns `stale` when something that it was decided on has changed, an erasure by another request included, and when it
 *   gave way to another transaction
 * @throws Unsealed
 */
export async function commitErasure(pool: pg.Pool, erasure: Erasure): Promise<WriteOutcome> {
  const { ledger, luid, version } = erasure.write;
  const current = await findVersionOf(pool, ledger);
  // Before what takes long: most of several that come at once are decided on what the first of them has changed.
  if (current !== version) return { result: 'stale', version: current };
  if (await isUnsealed(pool, ledger, luid)) throw new Unsealed();
  const traces = await findTraces(pool, erasure);
  try {
    return await storeErasure(pool, erasure, traces);
  } catch (error) {
    if (isSerializationFailure(error)) return { result: 'stale', version: erasure.write.version };
    throw error;
  }
}

function storeErasure(pool: pg.Pool, erasure: Erasure, traces: Traces): Promise<WriteOutcome> {
  const { ledger, luid, change, proofs } = erasure.write;
  return transaction(pool, async (client, rollback) => {
    // Whoever seals has the lock: nothing moves from the queue into the log meanwhile.
    await client.query('select from log where ledger_id = $1 for no key update', [ledger]);
    if (await isUnsealed(client, ledger, luid)) throw new Unsealed();
    const outcome = await storeInTransaction(client, pool, erasure.write);
    if (outcome.result !== 'done') return rollback(outcome);
    const before = [ledger, luid, change];
    const texts = await sizeOfTexts(client, before);
    await client.query(
      `update change set body = null, hash = null, mac = null, cut = null, beside = null
       where ledger_id = $1 and luid = $2 and change < $3`,
      before,
    );
    await client.query('update log_leaf set salts = null where ledger_id = $1 and luid = $2 and change < $3', before);
    const earlier = traces.uses.filter((use) => !proofs.includes(use));
    await veilProofs(client, erasure, earlier);
    const events = await emptyDeliveries(client, erasure, traces.deliveries);
    const secrets = await forget(client, erasure, traces.keys);
    // The quota of the ledger gets back what all of it took.
    await client.query(addBytes('-$2::bigint'), [ledger, texts + events + secrets]);
    return outcome;
  });
}

/** Bytes of the versions before a change, and of what lists filtered by. */
async function sizeOfTexts(client: Runner, before: readonly unknown[]): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select coalesce(sum(octet_length(body) + coalesce(beside, 0)), 0)::bigint as bytes from change
     where change < $3 and ledger_id = $1 and luid = $2`,
    [...before],
  );
  return rows[0]!.bytes;
}

/** Looked for before the transaction: a ledger may have many proofs and deliveries, and others wait for its locks. */
async function findTraces(pool: pg.Pool, { write, keyOf }: Erasure): Promise<Traces> {
  const of = [write.ledger, write.luid];
  const uses = await pool.query<{ use: string }>(
    `select replace(digest::text, '-', '') as use from used_proof where ledger_id = $1 and luid = $2`,
    of,
  );
  // Events and calls of bridges name versions by luid.
  const deliveries = await pool.query<{ handle: string }>(
    `select handle from delivery
     where ledger_id = $1 and (effect = $2 or strpos(event, '"' || $2 || '"') > 0) order by handle`,
    of,
  );
  return {
    uses: uses.rows.map(({ use }) => use),
    keys: keyOf ? await findRecordKeys(pool, of, keyOf) : [],
    deliveries: deliveries.rows.map(({ handle }) => handle),
  };
}

/** The keys of all versions, each once. Texts are read a few at a time: there may be thousands, of a megabyte each. */
async function findRecordKeys(
  pool: pg.Pool,
  of: readonly unknown[],
  keyOf: NonNullable<Erasure['keyOf']>,
): Promise<string[]> {
  const keys = new Set<string>();
  for (let before: number | null = null, isLast = false; !isLast; ) {
    const { rows }: pg.QueryResult<{ change: number; body: string | null }> = await pool.query(
      `select v.change, v.body from ${versionsOf('$1')} v where v.luid = $2 and ($3::int is null or v.change < $3)
       order by v.change desc limit $4`,
      [...of, before, erasureLimits.texts],
    );
    for (const { body } of rows) {
      const key = body === null ? undefined : keyOf(body);
      if (key !== undefined) keys.add(key);
    }
    before = rows.at(-1)?.change ?? null;
    isLast = rows.length < erasureLimits.texts;
  }
  return [...keys];
}

async function findVersionOf(pool: pg.Pool, ledger: number): Promise<number> {
  const { rows } = await pool.query<{ version: number }>('select version from ledger where id = $1', [ledger]);
  return rows[0]!.version;
}

/** Whether leaves of the record, or any of before the log, are still to be sealed. */
async function isUnsealed(client: Runner, ledger: number, luid: string): Promise<boolean> {
  const { rows } = await client.query(
    `select from unsealed where ledger_id = $1 and $2 = any(luids)
     union all select from log_backfill where ledger_id = $1 limit 1`,
    [ledger, luid],
  );
  return rows.length > 0;
}

/** A signed body that made the record stays refused, while its proof, and its name, are found under the key of the ledger only. */
async function veilProofs(
  client: pg.ClientBase,
  { write: { ledger, luid }, names, veil }: Erasure,
  uses: readonly string[],
): Promise<void> {
  await client.query(
    `insert into erased_proof (ledger_id, digest, luid) select $1, u.digest, $2 from unnest($3::uuid[]) as u(digest)`,
    [ledger, luid, [...uses, ...names].map(veil)],
  );
  await client.query('delete from used_proof where ledger_id = $1 and digest = any($2::uuid[])', [ledger, uses]);
}

/**
 * Ends deliveries of events about the record, calls of bridges for it, and deliveries of the record where it is an effect.
 * Whom they went to stays known; proofs of attempts go, since they sign the name, and so do entries of an intent.
 *
 * @returns the bytes that this frees
 */
async function emptyDeliveries(client: pg.ClientBase, erasure: Erasure, handles: readonly string[]): Promise<number> {
  const { deliveries: most } = erasureLimits;
  // In their order, so that two who lock the same ones do not wait for each other.
  let freed = 0;
  for (let at = 0; at < handles.length; at += most)
    freed += await emptySome(client, erasure, handles.slice(at, at + most));
  return freed;
}

async function emptySome(
  client: pg.ClientBase,
  { write: { ledger, luid }, deliveryMac }: Erasure,
  handles: readonly string[],
): Promise<number> {
  const { rows } = await client.query<DeliveryColumns<NewDelivery>>(
    `select ${DELIVERY_COLUMNS} from delivery d
     where d.ledger_id = $1 and d.handle = any($2::text[]) order by d.handle for update`,
    [ledger, handles],
  );
  const emptied = rows.map((row) => {
    const { linked: _, effectHandle, entry: __, mac: ___, ...delivery } = withoutNulls<NewDelivery>(row);
    const isOfEffect = delivery.effect === luid;
    const kept = {
      ...delivery,
      ...(isOfEffect || effectHandle === undefined ? {} : { effectHandle }),
      // The origin is the receiver's address, which an effect has in its text.
      target: isOfEffect ? '' : delivery.target,
      event: emptyEvent(delivery.event),
    };
    return { ...kept, mac: deliveryMac(ledger, kept) };
  });
  const result = await client.query<{ bytes: number }>(
    `with had as (
       select octet_length(event) + octet_length(proofs) as bytes from delivery where ledger_id = $1 and handle = any($2::text[])
     ), emptied as (
     update delivery d set status = 'erased', due = null, aside = null, signed = null, linked = null, entry = null, proofs = '', given_up = null,
       given_up_mac = null, effect_handle = nullif(e.effect_handle, ''), target = e.target, event = e.event, mac = e.mac
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       as e (handle, effect_handle, target, event, mac)
     where d.ledger_id = $1 and d.handle = e.handle
     returning octet_length(d.event) as bytes)
     select (coalesce((select sum(bytes) from had), 0) - coalesce((select sum(bytes) from emptied), 0))::bigint as bytes`,
    [
      ledger,
      emptied.map(({ handle }) => handle),
      emptied.map(({ effectHandle = '' }) => effectHandle),
      emptied.map(({ target }) => target),
      textArray(emptied.map(({ event }) => event)),
      emptied.map(({ mac }) => mac),
    ],
  );
  return result.rows[0]!.bytes;
}

/** What stays of an event: its handle and its signal; of a call, that there was one for that version. */
function emptyEvent(event: string): string {
  const { handle, signal, method, intent } = readJson(event) as Readonly<Record<string, unknown>>;
  if (method !== undefined) return JSON.stringify({ method, path: '', intent, hasDomains: false });
  return JSON.stringify({ handle, signal, members: {} });
}

/** Deletes rows that were made of the record alone. @returns the bytes that the quota counts of them */
async function forget(
  client: pg.ClientBase,
  { write: { ledger, luid, kind } }: Erasure,
  keys: readonly string[],
): Promise<number> {
  const of = [ledger, luid];
  const secrets = await client.query<{ bytes: number }>(
    `delete from secret where ledger_id = $1 and luid = $2 returning ${ROW_BYTES} + octet_length(sealed) as bytes`,
    of,
  );
  await client.query('delete from schedule where ledger_id = $1 and policy = $2', of);
  await client.query('delete from wallet_limit where ledger_id = $1 and wallet = $2', of);
  if (kind === 'symbol') await client.query('delete from wallet_limit where ledger_id = $1 and symbol_luid = $2', of);
  await client.query(`delete from delivery_retry where ledger_id = $1 and owner = 'effect' and id = $2`, of);
  await client.query('delete from delivery_backlog where ledger_id = $1 and receiver = $2', of);
  const freed = secrets.rows.reduce((sum, { bytes }) => sum + bytes, 0);
  if (keys.length === 0) return freed;
  await client.query(
    `delete from taken_key t where t.ledger_id = $1 and t.public = any($2::text[])
       and not exists (select from record r where r.ledger_id = t.ledger_id and r.link = t.public)`,
    [ledger, textArray(keys)],
  );
  return freed;
}
