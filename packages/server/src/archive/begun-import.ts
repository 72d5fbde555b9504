import { readJson } from '@countersign/protocol';
import type pg from 'pg';
import { isDistributed } from '../store/nodes/distribution.js';
import type { Cut } from './cutter.js';
import { TABLE_NAMES } from './insert.js';
import { ImportRefused } from './refusals.js';

/** How far an import has come. */
export interface BegunImport {
  /** Number of the ledger in this database. */
  readonly id: number;
  /** The file, by its last line. */
  readonly sha256: string;
  /** The part of the file that is stored; absent where an early release began the import, which did not note it. */
  readonly stored?: Cut;
  /** First number of its records' order. */
  readonly order: number;
  /** Whether what takes the private keys is left out. */
  readonly isReadOnly: boolean;
  /** It is being discarded: some of its rows are gone. */
  readonly isDiscarded?: boolean;
}

/** Rows that are discarded in one transaction: writes of the deployment wait for it. */
const DISCARDED_ROWS = 10_000;

/** The import of a ledger that was begun and has not ended. */
export async function findBegun(client: pg.ClientBase, luid: string): Promise<BegunImport | undefined> {
  const { rows } = await client.query<{ value: string }>('select value from deployment where name = $1', [
    importName(luid),
  ]);
  return rows[0] && (readJson(rows[0].value) as BegunImport);
}

/** Luids of the ledgers whose imports were begun and have not ended. */
export async function listBegun(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from deployment where name like 'import:%' order by name`,
  );
  return rows.map(({ name }) => name.slice(importName('').length));
}

export async function keepBegun(client: pg.ClientBase, luid: string, begun: BegunImport): Promise<void> {
  await client.query(
    'insert into deployment (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [importName(luid), JSON.stringify(begun)],
  );
}

export async function forgetBegun(client: pg.ClientBase, luid: string): Promise<void> {
  await client.query('delete from deployment where name = $1', [importName(luid)]);
}

/**
 * Holds the import of a ledger for one process, until the connection is released.
 *
 * @throws ImportRefused when another holds it
 */
export async function holdImport(client: pg.ClientBase, luid: string): Promise<void> {
  const { rows } = await client.query<{ free: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 1)) as free',
    [luid],
  );
  if (!rows[0]?.free) throw new ImportRefused('Another import of the ledger is under way.');
}

/**
 * Deletes all that an import has stored which has not ended. It can be killed at any moment, and is then done again by the
 * next import of the ledger, or the next call.
 *
 * @param client in no transaction; it holds the import
 * @returns rows that were deleted
 */
export async function discardBegun(client: pg.ClientBase, luid: string, begun: BegunImport): Promise<number> {
  await keepBegun(client, luid, { ...begun, isDiscarded: true });
  let discarded = 0;
  for (const table of TABLE_NAMES) {
    for (;;) {
      const deleted = await discardSome(client, table, begun.id);
      discarded += deleted;
      if (deleted < DISCARDED_ROWS) break;
    }
  }
  await forgetBegun(client, luid);
  return discarded;
}

/**
 * Deletes what an import of the ledger has stored that was begun and has not ended (export#import).
 *
 * @returns rows that were deleted
 * @throws ImportRefused when there is none, or when it is under way
 */
export async function discardImport(pool: pg.Pool, luid: string): Promise<number> {
  const client = await pool.connect();
  try {
    await holdImport(client, luid);
    const begun = await findBegun(client, luid);
    if (begun) return await discardBegun(client, luid, begun);
    const others = await listBegun(client);
    const known = others.length === 0 ? 'nor of any other ledger' : `but those of ${others.join(', ')} were`;
    throw new ImportRefused(`No import of ${luid} was begun and interrupted, ${known}.`);
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => undefined);
    client.release();
  }
}

/**
 * Deletes some rows. Triggers keep the history of ledgers append-only. They are off meanwhile, which no ledger notices: none
 * has this number. On a cluster they allow it by themselves.
 */
async function discardSome(client: pg.ClientBase, table: string, id: number): Promise<number> {
  const isCluster = await isDistributed(client);
  const isGuarded = (table === 'change' || table === 'entry') && !isCluster;
  // By this, Citus finds the node. Elsewhere PostgreSQL might choose the index on the ledger for it, and read that anew for
  // each batch.
  const onNode = isCluster ? 'and ledger_id = $1' : '';
  await client.query('begin');
  try {
    if (isGuarded) await client.query(`alter table ${table} disable trigger append_only`);
    const { rowCount } = await client.query(
      `delete from ${table} where ctid = any (array(select ctid from ${table} where ledger_id = $1 limit ${DISCARDED_ROWS}))
        ${onNode} and not exists (select from ledger where id = $1)`,
      [id],
    );
    if (isGuarded) await client.query(`alter table ${table} enable trigger append_only`);
    await client.query('commit');
    return rowCount ?? 0;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

function importName(luid: string): string {
  return `import:${luid}`;
}
