import type pg from 'pg';
import { queryUntil } from '../abortable.js';
import { isDistributed } from '../nodes/distribution.js';
import { ofReachable, readReachable } from '../nodes/reachable.js';
import { textArray } from '../parameters.js';
import { ROW_BYTES } from '../quotas.js';
import { addBytes } from '../stored-bytes.js';

/** An entry of a journal as it is stored. */
export interface JournalRow {
  readonly handle: string;
  readonly moment: string;
  /** 0 for what was stored, 1 for what was refused to a signer, 2 to anybody else, 3 for what was done without being stored. */
  readonly sort: 0 | 1 | 2 | 3;
  readonly record: string;
  readonly action: string;
  readonly source: string | null;
  readonly status: string;
  /** JSON. */
  readonly data: string;
  /** Base64 of a signature. */
  readonly result: string;
}

/** Writes and forgets entries. */
export type JournalStore = ReturnType<typeof createJournalStore>;

export function createJournalStore(pool: pg.Pool) {
  return {
    /** Stores entries of a ledger; those that are there already stay. */
    async insert(ledger: number, rows: readonly JournalRow[]): Promise<void> {
      const texts = (column: (row: JournalRow) => string) => textArray(rows.map(column));
      await pool.query({
        name: 'journal-insert',
        text: INSERT,
        values: [
          ledger,
          texts(({ handle }) => handle),
          rows.map(({ moment }) => moment),
          rows.map(({ sort }) => sort),
          texts(({ record }) => record),
          texts(({ action }) => action),
          rows.map(({ source }) => source),
          texts(({ status }) => status),
          texts(({ data }) => data),
          texts(({ result }) => result),
        ],
      });
    },
    /** Deletes the oldest entries of a sort, beyond as many as are kept. @returns how many */
    async trim(ledger: number, sort: 1 | 2 | 3, kept: number): Promise<number> {
      const values = [ledger, sort, kept];
      const { rows } = await pool.query<{ beyond: number }>({ name: 'journal-beyond', text: BEYOND, values });
      if (rows[0]!.beyond > 0) await pool.query({ name: 'journal-trim', text: TRIM, values });
      return rows[0]!.beyond;
    },
    /** Ledgers, a hundred at most, with entries from before that time. */
    async findExpired(before: Date, signal: AbortSignal): Promise<readonly number[]> {
      const text = (await isDistributed(pool)) ? FIND_EXPIRED_IN_CLUSTER : FIND_EXPIRED;
      const find = { text, values: [before] };
      const rows = await readReachable<{ id: number }>(pool, find, (one) => queryUntil(pool, one, signal));
      return rows.map(({ id }) => id);
    },
    /** Deletes the oldest entries from before that time, `most` at most. */
    async forget(ledger: number, before: Date, most: number, signal: AbortSignal): Promise<void> {
      await queryUntil(pool, { text: FORGET_ENTRIES, values: [ledger, before, most] }, signal);
    },
  };
}

const BYTES = `${ROW_BYTES} + octet_length(data) as bytes`;

const INSERT = `with stored as (
    insert into request (ledger_id, handle, moment, sort, record, action, source, status, data, result)
    select $1, n.* from unnest($2::text[], $3::timestamptz[], $4::smallint[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[]) n
    on conflict do nothing returning ${BYTES})
  ${addBytes('coalesce((select sum(bytes) from stored), 0)')}`;

/**
 * Counts the entries beyond those that are kept. It is a read of its own, which Citus plans as PostgreSQL does; only where it
 * finds any does `TRIM` run.
 */
const BEYOND = `select count(*)::int as beyond from (
    select k.handle from request k where k.ledger_id = $1 and k.sort = $2
    order by k.moment desc, k.handle desc offset $3) b`;

const TRIM = `with trimmed as (
    delete from request r where r.ledger_id = $1 and r.sort = $2 and (r.moment, r.handle) <= (
      select k.moment, k.handle from request k where k.ledger_id = $1 and k.sort = $2
      order by k.moment desc, k.handle desc offset $3 limit 1)
    returning ${BYTES})
  ${addBytes('-coalesce((select sum(bytes) from trimmed), 0)')}`;

const FIND_EXPIRED = `select l.id from ledger l
  where exists (select from request r where r.ledger_id = l.id and r.moment < $1) limit 100`;

/** The same where the ledgers are spread over nodes: each reads its part. */
const FIND_EXPIRED_IN_CLUSTER = `select distinct r.ledger_id as id from request r
  where r.moment < $1 and ${ofReachable('r.ledger_id')} limit 100`;

const FORGET_ENTRIES = `with forgotten as (
    delete from request r where r.ledger_id = $1 and r.handle = any(array(
      select o.handle from request o where o.ledger_id = $1 and o.moment < $2 order by o.moment limit $3))
    returning ${BYTES})
  ${addBytes('-coalesce((select sum(bytes) from forgotten), 0)')}`;
