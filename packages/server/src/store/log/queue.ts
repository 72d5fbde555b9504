import { isDistributed } from '../nodes/distribution.js';
import { ofReachable, readReachable } from '../nodes/reachable.js';
import type { Queryable } from '../queries/statement.js';

/** A ledger that has leaves to seal. */
export interface Dirty {
  readonly ledger: number;
  /** Whether its log has been begun. */
  readonly hasLog: boolean;
  /** Whether the backfill is unfinished: the queue waits for it. */
  readonly isBehind: boolean;
  /** Whether a process has sealed it a moment ago. */
  readonly isRecent: boolean;
  /** Leaves of its log; null before it is begun. */
  readonly size: number | null;
}

/** Leaves that a commit has queued: arrays with an element for each write. */
export interface Queued {
  readonly ledger: number;
  readonly id: number;
  readonly luids: readonly string[];
  /** Number of the last change of each write. */
  readonly changes: readonly number[];
  /** Base64 of 48 bytes a leaf: salt and commitment, with the code of all (integrity/log-leaves.ts). */
  readonly leaves: readonly string[];
  /** Their texts are erased: they have no salts, and zeros in their place. */
  readonly isClosed?: true;
}

/**
 * Ledgers with leaves to seal, in the order of their ids from `after` on, without those whose log is stopped. A loose index
 * scan: the queue may be long, and has few ledgers.
 *
 * @param most ledgers
 * @param recent milliseconds for which a seal is recent
 */
export async function findDirty(on: Queryable, after: number, most: number, recent: number): Promise<Dirty[]> {
  const text = (await isDistributed(on)) ? DIRTY_IN_CLUSTER : DIRTY;
  return readReachable<Dirty>(on, { name: 'log-dirty', text, values: [after, most, recent] });
}

const DIRTY = `with recursive queued (id) as (
        (select ledger_id from unsealed where ledger_id > $1::bigint order by ledger_id limit 1)
        union all
        select (select u.ledger_id from unsealed u where u.ledger_id > q.id order by u.ledger_id limit 1)
        from queued q where q.id is not null
      ),
      found (id) as (
        (select q.id from queued q where q.id is not null
          and not exists (select from log g where g.ledger_id = q.id and g.stopped is not null) limit $2)
        union
        (select b.ledger_id from log_backfill b where b.ledger_id > $1::bigint
          and not exists (select from log g where g.ledger_id = b.ledger_id and g.stopped is not null)
        order by b.ledger_id limit $2)
      )
      select f.id as ledger, l.size, l.ledger_id is not null as "hasLog",
        exists (select from log_backfill b where b.ledger_id = f.id) as "isBehind",
        coalesce(clock_timestamp() - l.sealed between interval '0' and $3::float8 * interval '1 ms', false) as "isRecent"
      from (select id from found order by id limit $2) f left join log l on l.ledger_id = f.id
      order by f.id`;

/** The same where the ledgers are spread over nodes: each reads its part of the queue. */
const DIRTY_IN_CLUSTER = `select f.ledger_id as ledger, l.size, l.ledger_id is not null as "hasLog", f.behind as "isBehind",
    coalesce(statement_timestamp() - l.sealed between interval '0' and $3::float8 * interval '1 ms', false) as "isRecent"
  from (
    select q.ledger_id, bool_or(q.behind) as behind
    from (
      select u.ledger_id, false as behind from unsealed u where u.ledger_id > $1::bigint and ${ofReachable('u.ledger_id')}
      union all
      select b.ledger_id, true from log_backfill b where b.ledger_id > $1::bigint and ${ofReachable('b.ledger_id')}
    ) q group by q.ledger_id
  ) f left join log l on l.ledger_id = f.ledger_id
  where l.stopped is null
  order by f.ledger_id limit $2`;

/** How much is taken out of the queue, of each ledger. */
export interface Share {
  readonly batches: number;
  /** Writes in these batches; the first batch is taken whatever it has. */
  readonly writes: number;
}

/**
 * Takes leaves out of the queue, oldest first. The queue of a ledger whose backfill is unfinished waits: it is asked for once
 * the lock of the log is held, since the log may have begun anew before.
 */
export async function takeQueued(client: Queryable, ledgers: readonly number[], share: Share): Promise<Queued[]> {
  const found: QueuedRow[] = [];
  if (await isDistributed(client)) {
    for (const ledger of ledgers)
      found.push(...(await takeBatches(client, 'log-take-one', TAKE_OF_ONE, ledger, share)));
  } else found.push(...(await takeBatches(client, 'log-take', TAKE, ledgers, share)));
  await countTaken(client, found);
  return found
    .sort((one, other) => one.ledger - other.ledger || one.id - other.id)
    .map(({ luids, changes, leaves, bytes: _, ...row }) => ({
      ...row,
      luids: luids.split(','),
      changes: changes.split(',').map(Number),
      leaves: leaves.split(','),
    }));
}

async function takeBatches(client: Queryable, name: string, text: string, of: unknown, { batches, writes }: Share) {
  const { rows } = await client.query<QueuedRow>({ name, text, values: [of, batches, writes] });
  return rows;
}

/** What leaves the queue stays counted (0020-storage). */
async function countTaken(client: Queryable, taken: readonly QueuedRow[]): Promise<void> {
  const bytes = new Map<number, number>();
  for (const row of taken) bytes.set(row.ledger, (bytes.get(row.ledger) ?? 0) + row.bytes);
  if (bytes.size === 0) return;
  const counted = [...bytes].sort(([one], [other]) => one - other);
  await client.query({
    name: 'log-count-taken',
    text: `insert into storage as had (ledger_id, bytes) select * from unnest($1::bigint[], $2::bigint[])
      on conflict (ledger_id) do update set bytes = had.bytes + excluded.bytes`,
    values: [counted.map(([ledger]) => ledger), counted.map(([, more]) => more)],
  });
}

/** What was taken. Citus forms no texts where it deletes. */
function selectTaken(deleted: string): string {
  return `with taken as (${deleted} returning u.ledger_id, u.id, u.luids, u.changes, u.leaves, u.bytes)
    select ledger_id as ledger, id, array_to_string(luids, ',') as luids, array_to_string(changes, ',') as changes,
      array_to_string(leaves, ',') as leaves, bytes
    from taken`;
}

const TAKE = selectTaken(`delete from unsealed u
  using unnest($1::bigint[]) as l (id),
    lateral (
      select y.id from (
        select x.id, sum(cardinality(x.luids)) over (order by x.id) - cardinality(x.luids) as before
        from (select id, luids from unsealed where ledger_id = l.id order by id limit $2) x
      ) y where y.before < $3
    ) q
  where u.ledger_id = l.id and u.id = q.id
    and not exists (select from log_backfill b where b.ledger_id = l.id)`);

/** The same for one ledger, whose node runs it. */
const TAKE_OF_ONE = selectTaken(`delete from unsealed u
  where u.ledger_id = $1::bigint and u.id in (
    select y.id from (
      select x.id, sum(cardinality(x.luids)) over (order by x.id) - cardinality(x.luids) as before
      from (select id, luids from unsealed where ledger_id = $1::bigint order by id limit $2) x
    ) y where y.before < $3)
    and not exists (select from log_backfill b where b.ledger_id = $1::bigint)`);

/** Arrays as one text each: the driver takes much longer for an array. No element has a comma. */
interface QueuedRow {
  readonly ledger: number;
  readonly id: number;
  readonly luids: string;
  readonly changes: string;
  readonly leaves: string;
  readonly bytes: number;
}
