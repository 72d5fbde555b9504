import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { gather, gatherLimits } from '../../base/gather.js';
import type { KindName } from '../../kinds/kind.js';
import { isSerializationFailure } from '../committer/batch.js';
import { commitLimits } from '../committer/commit-limits.js';
import { secretParameters, textParameters } from '../committer/rows.js';
import type { Write } from '../committer/write.js';
import { createFindInvitation, takeInvitation } from '../deployment/invitations.js';
import { VERSIONS_PER_EPOCH, WrongDatabase } from '../epoch-guard.js';
import { callOf } from '../parameters.js';
import { transaction } from '../transaction.js';
import { kindsWhere } from './kinds-where.js';
import { queryLimits } from './query-limits.js';
import { findVeil } from './secrets.js';
import { checkAll, type ReadGuards, STORED_VERSION, type StoredVersion } from './version.js';

/** The tables' content on a ledger as a whole: the state that a process needs to decide and sign. */
export interface StoredLedger {
  readonly id: number;
  readonly handle: string;
  readonly luid: string;
  readonly version: number;
  /** What an operator has stopped of it, and why; null where nothing is. */
  readonly suspended: 'writes' | 'all' | null;
  readonly suspendedWhy: string | null;
  /** Bodies of the ledger's own record and of its policies and domains, oldest first. */
  readonly bodies: readonly (StoredVersion & { readonly kind: KindName })[];
  /** Its schemas: `link` is the kind of record a schema is for. */
  readonly schemas: readonly {
    readonly handle: string;
    readonly luid: string;
    readonly hash: string;
    readonly link: string;
    readonly domain: string | null;
    readonly status: string | null;
  }[];
  /** Sealed secrets of the signers it signs with: `system` and `system.auth`. */
  readonly keys: readonly {
    readonly luid: string;
    readonly handle: string;
    readonly public: string;
    readonly name: string | null;
    /** Null where the ledger was imported without its private keys. */
    readonly sealed: Buffer | null;
  }[];
  /** The sealed key of what stays of erased records; undefined where it is derived from the master key. */
  readonly veil: Buffer | undefined;
}

/** A ledger that was too large to fetch. */
export interface LargeLedger {
  /** Bytes of the bodies. */
  readonly size: number;
}

/** A record of a new ledger, and the sealed secret it came with. */
export interface BirthRecord {
  readonly write: Write;
  readonly secrets: readonly { readonly name: string; readonly sealed: Buffer }[];
}

/** Handle and luid of a new ledger, and the keys of its owners. */
export interface LedgerIdentity {
  readonly handle: string;
  readonly luid: string;
  readonly owners: readonly string[];
}

/** Makes the records of a new ledger, given its id and its first version. */
export type Births = (id: number, version: number) => readonly BirthRecord[];

/** What a ledger stores, as its quota counts it. */
export interface StoredBytes {
  readonly handle: string;
  readonly bytes: number;
}

/** Ledgers as wholes. */
export type LedgerStore = ReturnType<typeof createLedgerStore>;

export interface FindLedger {
  /** The ledger of that handle or luid; undefined when it is missing. */
  (id: string): Promise<StoredLedger | undefined>;
  /** The same; only the size when the bodies exceed `most` bytes together. */
  (id: string, most: number): Promise<StoredLedger | LargeLedger | undefined>;
}

/** What came of making a ledger. */
export type BirthOutcome = 'done' | 'taken' | 'uninvited';

interface BirthCall {
  readonly ledger: LedgerIdentity;
  readonly births: Births;
  readonly invitation?: Buffer | undefined;
}

export function createLedgerStore(pool: pg.Pool, guards: ReadGuards) {
  // Each holds a connection for several round trips: the bound leaves connections for other work.
  const insert = gather<BirthCall, BirthOutcome>(async ([one]) => [await insertLedger(pool, one!)], {
    batch: 1,
    queue: gatherLimits.queue,
    concurrency: commitLimits.births,
  });
  return {
    find: ((id: string, most?: number) => findLedger(pool, guards, id, most ?? Number.MAX_SAFE_INTEGER)) as FindLedger,
    /** The luid of the ledger with that id; undefined when it is missing. */
    async luid(id: number): Promise<string | undefined> {
      const { rows } = await pool.query<{ luid: string }>('select luid from ledger where id = $1', [id]);
      return rows[0]?.luid;
    },
    /** The current version of the ledger. */
    version: versions(pool),
    /** What the ledgers of those handles store, for the operator; none of a handle that no ledger has. */
    async storedBytes(handles: readonly string[]): Promise<readonly StoredBytes[]> {
      const { rows } = await pool.query<StoredBytes>(STORED_BYTES, [handles]);
      return rows;
    },
    /**
     * Makes a ledger with all its birth records in one transaction; with `invitation` (SHA-256 of its code), uses that up in the same one.
     *
     * @returns `done`; `taken` when another ledger has the handle; `uninvited` when the invitation is not open
     */
    create: async (ledger: LedgerIdentity, births: Births, invitation?: Buffer): Promise<BirthOutcome> =>
      insert({ ledger, births, invitation }),
    /** How the invitation stands whose code has this SHA-256. */
    findInvitation: createFindInvitation(pool),
  };
}

const STORED_BYTES = `select l.handle,
    (coalesce(s.bytes, 0) + coalesce((select sum(u.bytes) from unsealed u where u.ledger_id = l.id), 0))::bigint as bytes
  from ledger l left join storage s on s.ledger_id = l.id where l.handle = any($1::text[])`;

/** The sealed key of a ledger's `system` signer, which dates from the ledger's birth. */
export interface SealedSystemKey {
  /** Luid of the ledger. */
  readonly ledger: string;
  /** Luid of the signer. */
  readonly luid: string;
  readonly name: string;
  readonly sealed: Buffer;
}

/** Reads the key of a ledger's `system` signer; undefined when the ledger is missing. */
export function createSystemKeys(pool: pg.Pool): (ledger: number) => Promise<SealedSystemKey | undefined> {
  return async (ledger) => {
    const { rows } = await pool.query<SealedSystemKey>({
      name: 'system-key',
      text: `select l.luid as ledger, r.luid, s.name, s.sealed
        from ledger l
          join record r on r.ledger_id = l.id and r.kind = 'signer' and r.handle = 'system'
          join secret s on s.ledger_id = l.id and s.luid = r.luid
        where l.id = $1`,
      values: [ledger],
    });
    return rows[0];
  };
}

async function findLedger(
  pool: pg.Pool,
  { check, epochs }: ReadGuards,
  id: string,
  most: number,
): Promise<StoredLedger | LargeLedger | undefined> {
  // The version is read first: rows read after it may be newer, and the next check then reloads them.
  const { rows: ledgers } = await pool.query<Omit<StoredLedger, 'bodies' | 'schemas' | 'keys' | 'veil'> & ReadPosition>(
    {
      name: 'ledger',
      // A luid is one ledger's for good, so it comes before a handle of the same text.
      text: `select id, handle, luid, version, suspended, suspended_why as "suspendedWhy", ${epochs.walPosition} as position from ledger
      where handle = $1 or luid = $1 order by (luid = $1) desc`,
      values: [id],
    },
  );
  if (!ledgers[0]) return undefined;
  const { position, ...ledger } = ledgers[0];
  const [bodies, schemas, keys, veil] = await Promise.all([
    pool.query<StoredLedger['bodies'][number] & LargeLedger>({
      name: 'ledger-bodies',
      text: `select kind, luid, change, action, mac, size, case when size <= $2 then body end as body
        from (
          select r.seq, r.kind, ${STORED_VERSION}, sum(octet_length(c.body)) over () as size
          from record r join change c using (ledger_id, luid, change)
          where r.ledger_id = $1 and r.kind || '' in (${kindsWhere(({ access: { part } }) => part !== undefined && part !== 'schemas')})
        ) found
        order by seq`,
      values: [ledger.id, most],
    }),
    pool.query<StoredLedger['schemas'][number]>({
      name: 'ledger-schemas',
      text: `select handle, luid, hash, link, domain, status from record
        where ledger_id = $1 and kind || '' in (${kindsWhere(({ access }) => access.part === 'schemas')}) order by seq`,
      values: [ledger.id],
    }),
    pool.query<StoredLedger['keys'][number]>({
      name: 'ledger-keys',
      text: `select r.luid, r.handle, r.link as public, s.name, s.sealed from record r left join secret s using (ledger_id, luid)
        where r.ledger_id = $1 and r.kind = 'signer' and r.handle in ('system', 'system.auth', 'core') order by r.seq`,
      values: [ledger.id],
    }),
    findVeil(pool, ledger),
  ]);
  // On a cluster, its node has lost them, or is yet to commit them.
  if (bodies.rows.length === 0)
    throw new WrongDatabase('The database has the row of the ledger, and none of its records.');
  const { size = 0 } = bodies.rows[0]!;
  if (size > most) return { size };
  epochs.saw(ledger.version, position);
  for (const row of bodies.rows) await checkAll(check, { ledger: ledger.id, kind: row.kind }, [row]);
  return { ...ledger, bodies: bodies.rows, schemas: schemas.rows, keys: keys.rows, veil };
}

/** The position of the write-ahead log at the time of the read. */
interface ReadPosition {
  readonly position: number | null;
}

function versions(pool: pg.Pool): (id: number) => Promise<number> {
  return gather<number, number>(
    async (ids) => {
      const { rows } = await pool.query<{ version: number }>({
        name: 'ledger-versions',
        text: 'select version from ledger where id = $1',
        values: [ids[0]],
      });
      return ids.map(() => rows[0]?.version ?? 0);
    },
    { batch: gatherLimits.batch, queue: gatherLimits.queue, concurrency: queryLimits.lookups.each, apart: (id) => id },
  );
}

/** How often the creation of a ledger is tried that conflicts with others, and the most milliseconds between two tries. */
const BIRTH_TRIES = 10;
const BIRTH_PAUSE = 200;

async function insertLedger(pool: pg.Pool, { ledger, births, invitation }: BirthCall): Promise<BirthOutcome> {
  for (let tries = 1; ; tries += 1) {
    const { rows } = await pool.query<{ id: number; epoch: string | null }>(NEXT_LEDGER);
    const { id, epoch } = rows[0]!;
    const version = Number(epoch ?? 0) * VERSIONS_PER_EPOCH + 1;
    const writes = births(id, version).map(({ write, secrets }) => ({ ...write, secrets }));
    const { handle, luid, owners } = ledger;
    const call = callOf('create_ledger_1', {
      ...{ ledger: id, handle, luid, owners, version, epoch },
      ...textParameters(writes),
      ...secretParameters(writes),
    });
    const made =
      invitation === undefined ? birth(pool, call) : birthByInvitation(pool, call, { hash: invitation, luid });
    const result = await made.catch((error) => {
      if (tries === BIRTH_TRIES) throw error;
      return hasGivenWay(error);
    });
    if (result !== 'moved') return result;
    await pause(Math.min(BIRTH_PAUSE, tries ** 2));
  }
}

async function birth(on: pg.Pool | pg.PoolClient, call: pg.QueryConfig): Promise<'done' | 'taken' | 'moved'> {
  const { rows } = await on.query<{ create_ledger_1: 'done' | 'taken' | 'moved' }>(call);
  return rows[0]!.create_ledger_1;
}

function birthByInvitation(pool: pg.Pool, call: pg.QueryConfig, { hash, luid }: { hash: Buffer; luid: string }) {
  return transaction(pool, async (client, rollback): Promise<BirthOutcome | 'moved'> => {
    if (!(await takeInvitation(client, hash, luid))) return rollback('uninvited');
    const made = await birth(client, call);
    return made === 'done' ? made : rollback(made);
  });
}

/** Ledgers that are made on two nodes of a cluster at once may wait for each other: one gives way, and begins anew. */
function hasGivenWay(error: unknown): 'moved' {
  if (isSerializationFailure(error)) return 'moved';
  throw error;
}

/** An id is drawn first: codes of records are made with it. */
const NEXT_LEDGER = {
  name: 'next-ledger',
  text: `select nextval(pg_get_serial_sequence('ledger', 'id')) as id, (select value from deployment where name = 'epoch') as epoch`,
};
