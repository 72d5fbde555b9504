import type pg from 'pg';
import type { KindName } from '../kinds/kind.js';
import { limits } from '../limits.js';
import { keepSecrets, storeTogether } from './commit.js';
import { gather } from './gather.js';
import { transaction } from './transaction.js';
import { unnested } from './unnested.js';
import type { Write } from './write.js';

/** What the tables hold of a ledger as a whole: what a process needs to decide and sign. */
export interface StoredLedger {
  readonly id: number;
  readonly handle: string;
  readonly luid: string;
  readonly version: number;
  /** Bodies of the ledger's own record and of its policies and domains, oldest first. */
  readonly bodies: readonly { readonly kind: KindName; readonly luid: string; readonly body: string }[];
  /** Its schemas: `link` is the kind of record a schema is for. */
  readonly schemas: readonly {
    readonly handle: string;
    readonly luid: string;
    readonly hash: string;
    readonly link: string;
    readonly domain: string | null;
  }[];
  /** Sealed secrets of the signers it signs with: `system` and `system.auth`. */
  readonly keys: readonly {
    readonly luid: string;
    readonly handle: string;
    readonly public: string;
    readonly name: string;
    readonly sealed: Buffer;
  }[];
}

/** A record of a new ledger, and the sealed secret it came with. */
export interface Birth {
  readonly write: Write;
  readonly secrets: readonly { readonly name: string; readonly sealed: Buffer }[];
}

export interface LedgerStore {
  /** The ledger of that handle or luid, or nothing. */
  load(id: string): Promise<StoredLedger | undefined>;
  /** The version the ledger is at now. */
  version(id: number): Promise<number>;
  /**
   * Makes a ledger with all its birth records, or none of it.
   *
   * @param births made from the id the ledger gets
   * @returns false when the handle is taken
   */
  found(
    ledger: { handle: string; luid: string; owners: readonly string[] },
    births: (id: number) => readonly Birth[],
  ): Promise<boolean>;
}

export function createLedgerStore(pool: pg.Pool): LedgerStore {
  return {
    load: (id) => load(pool, id),
    version: versions(pool),
    found: (ledger, births) => found(pool, ledger, births),
  };
}

async function load(pool: pg.Pool, id: string): Promise<StoredLedger | undefined> {
  // The version is read first: rows read after it may be newer, never older, and the next check then reloads them.
  const { rows: ledgers } = await pool.query<Pick<StoredLedger, 'id' | 'handle' | 'luid' | 'version'>>({
    name: 'ledger',
    text: 'select id, handle, luid, version from ledger where handle = $1 or luid = $1',
    values: [id],
  });
  const ledger = ledgers[0];
  if (!ledger) return undefined;
  const [bodies, schemas, keys] = await Promise.all([
    pool.query<StoredLedger['bodies'][number]>({
      name: 'ledger-bodies',
      text: `select r.kind, r.luid, c.body from record r join change c using (ledger_id, luid, change)
        where r.ledger_id = $1 and r.kind || '' in ('ledger', 'policy', 'domain') order by r.seq`,
      values: [ledger.id],
    }),
    pool.query<StoredLedger['schemas'][number]>({
      name: 'ledger-schemas',
      text: `select handle, luid, hash, link, domain from record
        where ledger_id = $1 and kind || '' = 'schema' order by seq`,
      values: [ledger.id],
    }),
    pool.query<StoredLedger['keys'][number]>({
      name: 'ledger-keys',
      text: `select r.luid, r.handle, r.link as public, s.name, s.sealed from record r join secret s using (ledger_id, luid)
        where r.ledger_id = $1 and r.kind = 'signer' and r.handle in ('system', 'system.auth') order by r.seq`,
      values: [ledger.id],
    }),
  ]);
  return { ...ledger, bodies: bodies.rows, schemas: schemas.rows, keys: keys.rows };
}

function versions(pool: pg.Pool): LedgerStore['version'] {
  return gather<number, number>(
    async (ids) => {
      const { rows } = await pool.query<{ version: number }>({
        name: 'ledger-versions',
        text: `select l.version from ${unnested('q', ['ord int', 'id bigint'])} left join ledger l using (id) order by q.ord`,
        values: [ids.map((_, ord) => ord), ids],
      });
      return rows.map(({ version }) => version);
    },
    { batch: limits.batch, queue: limits.queue, lanes: 1 },
  );
}

function found(
  pool: pg.Pool,
  ledger: { handle: string; luid: string; owners: readonly string[] },
  births: (id: number) => readonly Birth[],
): Promise<boolean> {
  return transaction(pool, async (client, rollback) => {
    const { rows } = await client.query<{ id: number }>(
      'insert into ledger (handle, luid, owners) values ($1, $2, $3) on conflict do nothing returning id',
      [ledger.handle, ledger.luid, ledger.owners],
    );
    const id = rows[0]?.id;
    if (id === undefined) return rollback(false);
    const records = births(id);
    const outcomes = await storeTogether(
      client,
      records.map((birth) => birth.write),
    );
    const failure = outcomes.findIndex((outcome) => outcome.result !== 'done');
    if (failure >= 0) throw new Error(`Birth record ${records[failure]?.write.key} was not stored.`);
    for (const { write, secrets } of records) await keepSecrets(client, id, write.luid, secrets);
    return true;
  });
}
