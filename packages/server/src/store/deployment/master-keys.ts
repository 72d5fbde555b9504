import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { Keyring, type NumberedKey, singleKey } from '../../keys/keyring.js';
import { keyCheck } from '../../keys/master-key.js';
import { transaction } from '../transaction.js';

/** Where the sealed key of the codes is: a secret of no ledger. */
export const CODES_SECRET = { ledger: 0, luid: '', name: 'codes' } as const;

/** What the key of the codes is sealed for. */
export const CODES_CONTEXT = 'deployment//codes';

/** The master keys of the deployment, the newest last: none for a new database, two while one is replaced by another. */
export async function findMasterKeys(pool: pg.Pool): Promise<NumberedKey[]> {
  const { rows: tables } = await pool.query<{ keys: boolean; deployment: boolean }>(
    `select to_regclass('master_key') is not null as keys, to_regclass('deployment') is not null as deployment`,
  );
  const { keys, deployment } = tables[0]!;
  if (!deployment) return [];
  const { rows } = await pool.query<NumberedKey>(
    keys
      ? 'select number, key_check as check from master_key order by number'
      : // A database of an earlier release, before it is migrated.
        `select 1 as number, value as check from deployment where name = 'master-key-check'`,
  );
  return rows;
}

/**
 * Ties a new database to the first of these keys, and others to what they were tied to.
 *
 * @param held 32 bytes each
 * @param from where they come from, for the error
 * @throws Error in words for the operator when a key of the deployment is not among them
 */
export async function settleMasterKeys(pool: pg.Pool, held: readonly Buffer[], from: string): Promise<Keyring> {
  const [first] = held;
  if (first === undefined) throw wrongKey(from);
  await transaction(pool, async (client) => {
    const { rowCount: made } = await client.query(
      'insert into master_key (number, key_check) select 1, $1 where not exists (select from master_key) on conflict do nothing',
      [keyCheck(first)],
    );
    if (made) await storeCodes(client, singleKey(first).seal(randomBytes(32), CODES_CONTEXT));
  });
  return readKeyring(pool, held, from);
}

/** @throws what `settleMasterKeys` throws */
export async function readKeyring(pool: pg.Pool, held: readonly Buffer[], from: string): Promise<Keyring> {
  const known = await findMasterKeys(pool);
  assertHeld(known, held, from);
  const { rows } = await pool.query<{ sealed: Buffer }>(
    'select sealed from secret where ledger_id = $1 and luid = $2 and name = $3',
    Object.values(CODES_SECRET),
  );
  // Releases before rotations have derived the codes from the only master key.
  const codes = rows[0]
    ? new Keyring(Buffer.alloc(32), held, known).open(rows[0].sealed, CODES_CONTEXT)
    : held.find((key) => keyCheck(key) === known[0]?.check)!;
  return new Keyring(codes, held, known);
}

/** Stores the sealed key of the codes, unless there is one. */
export async function storeCodes(client: pg.ClientBase, sealed: Buffer): Promise<void> {
  await client.query(
    'insert into secret (ledger_id, luid, name, sealed) values ($1, $2, $3, $4) on conflict do nothing',
    [...Object.values(CODES_SECRET), sealed],
  );
}

/** @throws Error in words for the operator when a key of the deployment is not held */
export function assertHeld(known: readonly NumberedKey[], held: readonly Buffer[], from: string): void {
  const checks = new Set(held.map(keyCheck));
  const missing = known.filter(({ check }) => !checks.has(check));
  if (missing.length === 0) return;
  if (missing.length === known.length) throw wrongKey(from);
  const which = missing[0] === known[0] ? 'former' : 'next';
  throw new Error(
    `The master key of this database is being replaced, and the ${which} one is missing: MASTER_KEY must be the former and ` +
      'MASTER_KEY_NEXT the next, or their files, until countersign admin rotate-key has ended.',
  );
}

/** @param from where the key comes from */
export function wrongKey(from: string): Error {
  return new Error(`The master key, ${from}, is not the one that this database was made with.`);
}
