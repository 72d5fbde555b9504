import type { JsonObject, RecordEnvelope, StoredProof } from '@countersign/protocol';
import pg from 'pg';
import { expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed } from '../../src/kinds/registry.js';
import { useOf } from '../../src/records/proofs.js';
import { examples } from '../kinds/examples.js';
import { newLedger, OPEN, signed, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { changed, collectionOf, ok, pathOf, stored } from '../support/scene.js';
import { runSql } from '../support/sql.js';

/** Rules under which everyone may do everything, and erase. */
export const MAY_ERASE: JsonObject[] = [...(OPEN as JsonObject[]), { action: 'erase', record: 'any' }];

/** A ledger whose rules grant `erase` to everyone. */
export function erasingLedger(url: string, config?: JsonObject): Promise<TestClient> {
  return newLedger(url, { access: MAY_ERASE, ...(config ? { config } : {}) });
}

/** The signed body of an erasure. */
export function erasureOf(luid: string, change: number, key: TestKey, reason = 'asked for by the person') {
  return signed({ luid, change, reason }, key, { status: 'erased' });
}

/** A record that was dropped, with what it had: its texts, oldest first, and the signed body that made it. */
export interface Dropped {
  readonly kind: KindName;
  readonly record: RecordEnvelope;
  /** Where records of the kind are made. */
  readonly collection: string;
  /** Its path by luid. */
  readonly path: string;
  readonly made: JsonObject;
  /** As they were served. */
  readonly changes: readonly JsonObject[];
}

/**
 * Holds a lock, and gives it back.
 *
 * @param lock the statement that takes it
 * @param work sends what is to wait for it; `waiting` resolves when so many statements of the database do
 */
export async function whileLocked<T>(
  url: string,
  lock: string,
  values: readonly unknown[],
  work: (holder: pg.Client, waiting: (count: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(lock, [...values]);
    return await work(holder, (count) =>
      eventually(async () => expect(await runSql(url, WAITING)).toHaveLength(count)),
    );
  } finally {
    await holder.end();
  }
}

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** A text that no other record has. */
export const SECRET_NAME = 'Ørsted-7781-Zebra';

/** Makes a record of a kind with a history, and drops it. @param before called before the drop */
export async function dropped(
  client: TestClient,
  name: KindName,
  handle = `${name}-gone`,
  before: () => Promise<unknown> = async () => {},
): Promise<Dropped> {
  const kind = kindNamed(name);
  const example = examples[name];
  for (const need of example.needs?.(handle) ?? []) await stored(client, need.kind, need.data);
  const hasCustom = 'custom' in kind.data.shape.properties;
  const data = { ...example.minimal(handle), ...(hasCustom ? { custom: { name: SECRET_NAME } } : {}) };
  const collection = collectionOf(kind, data);
  const made = signed(data, client.key);
  let record = ok(await client.call('POST', collection, made)).body as RecordEnvelope;
  const at = pathOf(kind, data);
  if (kind.lifecycle.operations.includes('update'))
    record = ok(await client.update(at, record, { ...changed(data), custom: { name: SECRET_NAME, more: true } })).body;
  if (kind.lifecycle.operations.includes('proof'))
    record = ok(await client.prove(at, record, { labels: [SECRET_NAME] })).body;
  await before();
  ok(await client.drop(at, record, SECRET_NAME));
  const path = `${collection}/${record.luid}`;
  const changes = ok(await client.get(`${path}/changes`)).body.data.reverse();
  return { kind: name, record, collection, path, made, changes };
}

/** Erases it. */
export function erase(client: TestClient, { record, path, changes }: Dropped, reason?: string): Promise<TestAnswer> {
  return client.call('POST', `${path}/erase`, erasureOf(record.luid, changes.length, client.key, reason));
}

/** Columns of which no statistics are kept: samples would outlive an erasure. */
const UNSAMPLED = [
  'change.hash',
  'change.body',
  'record.hash',
  'record.document',
  'record.judged',
  'open_intent.state',
  'schedule.hash',
  'delivery.linked',
  'delivery.event',
].concat(['delivery.proofs', 'delivery.given_up', 'log_leaf.commitments', 'log_leaf.salts', 'unsealed.leaves']);

/**
 * Whatever a database holds, by table: each row with all of its columns as text, and the samples that `analyze` took of
 * columns that shall have none.
 */
export async function dump(url: string): Promise<Map<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const found = new Map<string, string[]>();
    for (const { name } of tables) {
      const { rows } = await client.query(`select t::text as row from "${name}" t`);
      found.set(
        name,
        rows.map(({ row }) => row as string),
      );
    }
    const sampled = await client.query<{ name: string; row: string }>(
      `select 'samples of ' || tablename || '.' || attname as name, s::text as row from pg_stats s
       where tablename || '.' || attname = any($1)`,
      [UNSAMPLED],
    );
    for (const { name, row } of sampled.rows) found.set(name, [row]);
    return found;
  } finally {
    await client.end();
  }
}

/** The tables that have one of the texts in any of their columns, in any case. */
export function tablesWith(tables: ReadonlyMap<string, string[]>, texts: readonly string[]): string[] {
  const lower = texts.map((text) => text.toLowerCase());
  return [...tables].flatMap(([name, rows]) => {
    const found = lower.filter((text) => rows.some((row) => row.toLowerCase().includes(text)));
    return found.map((text) => `${name}: ${text}`);
  });
}

/** Everything by which the texts of a record could be known, in every form that a table might have them in. */
export function tracesOf(changes: readonly JsonObject[]): string[] {
  const versions = changes as unknown as RecordEnvelope[];
  const proofs = versions.flatMap(({ meta }) => meta.proofs).filter(({ signer }) => signer !== 'system');
  const uses = proofs.map((proof: StoredProof) => useOf({ suite: native }, proof));
  const hashes = [
    ...new Set([...versions.map(({ hash }) => hash), ...allProofs(versions).map(({ digest }) => digest)]),
  ];
  return [
    SECRET_NAME,
    ...hashes.flatMap((hash) => [
      hash,
      Buffer.from(hash, 'hex').toString('base64'),
      Buffer.from(hash, 'hex').toString('base64url'),
    ]),
    ...uses.flatMap((use) => [use, use.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')]),
    ...allProofs(versions).map(({ result }) => result),
  ];
}

function allProofs(versions: readonly RecordEnvelope[]): StoredProof[] {
  return versions.flatMap(({ meta }) => meta.proofs);
}
