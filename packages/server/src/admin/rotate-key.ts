import type pg from 'pg';
import type { EnvironmentSettings } from '../config.js';
import type { Keyring, NumberedKey } from '../keys/keyring.js';
import {
  describeKeySource,
  isInFile,
  keyCheck,
  loadMasterKeys,
  makeNextKey,
  replaceKeyFile,
} from '../keys/master-key.js';
import { sealContext } from '../keys/seal.js';
import {
  CODES_CONTEXT,
  CODES_SECRET,
  findMasterKeys,
  readKeyring,
  storeCodes,
} from '../store/deployment/master-keys.js';
import { untilNone } from '../store/deployment/processes.js';
import { transaction } from '../store/transaction.js';
import { type AdminDeps, onDatabase } from './database.js';
import { AdminRefused, UnusableHere } from './refusals.js';

/** How the master key was replaced. */
export interface RotatedKey {
  /** Numbers of the former key, and of the one that all is sealed under now. */
  readonly from: number;
  readonly to: number;
  /** Values that this call has sealed anew. */
  readonly sealed: number;
  /** Where the files of both keys are; null where they are set otherwise. */
  readonly keyFile: string | null;
  readonly formerFile: string | null;
}

export interface RotateKeyCall {
  readonly settings: EnvironmentSettings;
  /** Told of the values that are sealed anew, and of all. */
  readonly progress?: (done: number, all: number) => void;
}

/**
 * Seals all secrets anew under the next master key, while processes serve. One that was killed is gone on with by another call.
 *
 * @throws UnusableHere when there is no next key; AdminRefused when it is the present one, a process lacks it or goes on with the former one, another call is at it,
 *   or a value does not open
 */
export function runRotateKey({ settings, progress = () => {} }: RotateKeyCall): Promise<RotatedKey> {
  return onDatabase(settings, (deps) =>
    alone(deps.pool, async () => {
      const rotation = await beginRotation(deps);
      await untilAllSeal(deps.pool, rotation.to);
      // From here on the database refuses what is sealed under the former key.
      await deps.pool.query('update master_key set is_open = false where number < $1', [rotation.to]);
      const sealed = await sealAnew(deps.pool, rotation, progress);
      await endRotation(deps.pool, rotation);
      const files = await replaceKeyFile(deps.config, rotation.from, rotation.check);
      if (rotation.isOver && files === undefined) throw nothingReplaced(rotation.to);
      const { from, to } = rotation;
      return { from, to, sealed, keyFile: files?.present ?? null, formerFile: files?.former ?? null };
    }),
  );
}

/** A rotation under way. */
interface Rotation {
  readonly keys: Keyring;
  readonly from: number;
  readonly to: number;
  /** That of the next key (`keyCheck`). */
  readonly check: string;
  /** Whether a former call has ended it, but for the files. */
  readonly isOver: boolean;
}

/** The next key was left in place after it had become the present one. */
function nothingReplaced(number: number): AdminRefused {
  return new AdminRefused(
    `Nothing was replaced: the next key is the present one, master key ${number}. Set MASTER_KEY_NEXT, or its file, to a new one.`,
  );
}

/** The number of the advisory lock, unique to this use. */
const ROTATION_LOCK = 7_260_412;

/** Runs `work` unless another call is at it. The lock ends with its transaction, through a pooler as well. */
function alone<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  return transaction(pool, async (client) => {
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_xact_lock($1) as got', [
      ROTATION_LOCK,
    ]);
    if (!rows[0]?.got) throw new AdminRefused('The master key is being replaced by another call of this command.');
    return work();
  });
}

/** Announces the next key, or finds the rotation that a former call has begun. */
async function beginRotation({ pool, config }: AdminDeps): Promise<Rotation> {
  const known = await findMasterKeys(pool);
  const newest = known.at(-1)!;
  // Of a key in a file, the next one is made here; processes of this machine read it within seconds.
  if (known.length === 1 && isInFile(config)) await makeNextKey(config);
  const held = await loadMasterKeys(config);
  const keys = await readKeyring(pool, held, describeKeySource(config));
  const next = held[1] && keyCheck(held[1]);
  if (next === undefined)
    throw new UnusableHere(
      'There is no next key: set MASTER_KEY_NEXT, or its file, to a new one for all servers and for this command.',
    );
  const isOver = known.length === 1 && next === newest.check;
  if (known.length > 1 || isOver)
    return { keys, from: newest.number - 1, to: newest.number, check: newest.check, isOver };
  if (newest.number === LAST_KEY_NUMBER)
    throw new AdminRefused(`This deployment has had ${LAST_KEY_NUMBER} master keys: move its ledgers to a new one.`);
  await untilAllHold(pool, next);
  const to = newest.number + 1;
  await announce(pool, keys, { number: to, check: next });
  keys.know([newest, { number: to, check: next }]);
  return { keys, from: newest.number, to, check: next, isOver };
}

/** The number is one byte of what is sealed. */
const LAST_KEY_NUMBER = 255;

async function announce(pool: pg.Pool, keys: Keyring, next: NumberedKey): Promise<void> {
  await transaction(pool, async (client) => {
    // Releases before rotations have derived the codes from the only key: from here on it is a secret like others.
    await storeCodes(client, keys.seal(keys.codes, CODES_CONTEXT));
    await client.query('insert into master_key (number, key_check) values ($1, $2)', [next.number, next.check]);
  });
}

/** Waits until each process that serves has read the next key. @throws AdminRefused naming those that have not */
async function untilAllHold(pool: pg.Pool, check: string): Promise<void> {
  // One that tells of itself once more, and still lacks it, has read its settings meanwhile.
  const lacking = await untilNone(pool, 'not ($2::text = any (keys))', check, (rows) =>
    rows.every(({ again }) => again),
  );
  if (lacking.length === 0) return;
  throw new AdminRefused(
    `The next key is missing at ${lacking.join(', ')}: set MASTER_KEY_NEXT there, or copy its file, and run this again.`,
  );
}

/** Waits until each process seals under the new key. One that stands still is refused by the database. @throws AdminRefused */
async function untilAllSeal(pool: pg.Pool, number: number): Promise<void> {
  const former = await untilNone(pool, 'sealing < $2::int', number, () => false);
  if (former.length > 0)
    throw new AdminRefused(`The former key is in use at ${former.join(', ')}: restart these, and run this again.`);
}

interface SealedRow {
  readonly ledger: number;
  /** Of the ledger; null for a secret of the deployment. */
  readonly owner: string | null;
  readonly luid: string;
  readonly name: string;
  readonly sealed: Buffer;
}

/** Values that are sealed anew by one statement. */
const SEALED_AT_ONCE = 500;

/** In the order of the primary key, from one place on. */
const SEALED_BEFORE = `select s.ledger_id as ledger, l.luid as owner, s.luid, s.name, s.sealed
  from secret s left join ledger l on l.id = s.ledger_id
  where (s.ledger_id, s.luid, s.name) > ($1, $2, $3) and get_byte(s.sealed, 0) <> $4
  order by s.ledger_id, s.luid, s.name limit ${SEALED_AT_ONCE}`;

/** A value that was replaced or dropped meanwhile is left as it is. */
const SEAL = `update secret s set sealed = u.sealed
  from unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[]) as u (ledger_id, luid, name, was, sealed)
  where (s.ledger_id, s.luid, s.name) = (u.ledger_id, u.luid, u.name) and s.sealed = u.was`;

/** @throws AdminRefused naming what does not open, after all else is sealed */
async function sealAnew(
  pool: pg.Pool,
  { keys, to }: Rotation,
  progress: NonNullable<RotateKeyCall['progress']>,
): Promise<number> {
  const { rows: counts } = await pool.query<{ all: number }>(
    'select count(*)::int as all from secret where get_byte(sealed, 0) <> $1',
    [to],
  );
  const altered: string[] = [];
  let done = 0;
  let place: readonly unknown[] = [-1, '', ''];
  for (;;) {
    const { rows } = await pool.query<SealedRow>(SEALED_BEFORE, [...place, to]);
    const last = rows.at(-1);
    if (last === undefined) break;
    const anew = rows.map((row) => ({ ...row, anew: sealRow(keys, row) }));
    altered.push(...anew.filter((one) => one.anew === undefined).map(({ luid, name }) => `${luid} ${name}`));
    done += await storeAnew(
      pool,
      anew.filter((one) => one.anew !== undefined),
    );
    progress(done, counts[0]!.all);
    place = [last.ledger, last.luid, last.name];
  }
  if (altered.length === 0) return done;
  throw new AdminRefused(
    `${altered.length} values do not open, ${altered.slice(0, 5).join(', ')} among them: they were altered. Restore them from a ` +
      'backup, and run this again; all others are sealed under the new key.',
  );
}

/** @returns undefined for one that does not open */
function sealRow(keys: Keyring, { ledger, owner, luid, name, sealed }: SealedRow): Buffer | undefined {
  const context = ledger === CODES_SECRET.ledger ? CODES_CONTEXT : sealContext(owner ?? '', luid, name);
  try {
    return keys.seal(keys.open(sealed, context), context);
  } catch {
    return undefined;
  }
}

/** @returns how many were stored */
async function storeAnew(
  pool: pg.Pool,
  rows: readonly (SealedRow & { readonly anew: Buffer | undefined })[],
): Promise<number> {
  const { rowCount } = await pool.query(SEAL, [
    rows.map(({ ledger }) => ledger),
    rows.map(({ luid }) => luid),
    rows.map(({ name }) => name),
    rows.map(({ sealed }) => sealed),
    rows.map(({ anew }) => anew),
  ]);
  return rowCount ?? 0;
}

/** From here on processes start with the new key alone. @throws AdminRefused when a value, or a server, has come meanwhile */
async function endRotation(pool: pg.Pool, { to }: Rotation): Promise<void> {
  const { rows } = await pool.query('select from secret where get_byte(sealed, 0) <> $1 limit 1', [to]);
  if (rows.length > 0) throw new AdminRefused('A value under another key has come meanwhile: run this again.');
  await transaction(pool, async (client) => {
    await client.query('delete from master_key where number < $1', [to]);
    await client.query(
      `update deployment set value = (select key_check from master_key where number = $1) where name = 'master-key-check'`,
      [to],
    );
  });
}
