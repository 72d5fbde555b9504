import { HASH_BYTES, SALT_BYTES } from '@countersign/protocol/log';
import { isDistributed } from '../nodes/distribution.js';
import { textArray } from '../parameters.js';
import type { Queryable } from '../queries/statement.js';

/** The leaf of a change, as it was sealed. */
export interface SealedLeaf {
  readonly index: number;
  /** 32 bytes. */
  readonly commitment: Buffer;
  /** 16 bytes; null once the record is erased. */
  readonly salt: Buffer | null;
}

/** A change whose leaf is looked for. */
export interface LoggedChange {
  readonly ledger: number;
  readonly luid: string;
  readonly change: number;
}

/** The leaf of a change; undefined while it is not sealed. */
export async function findLeaf(on: Queryable, { ledger, luid, change }: LoggedChange): Promise<SealedLeaf | undefined> {
  const { rows } = await on.query<{ last: number; first: number; commitments: Buffer; salts: Buffer | null }>({
    name: 'log-leaf',
    text: `select change as last, first, commitments, salts from log_leaf
      where ledger_id = $1 and luid = $2 and change >= $3 order by change limit 1`,
    values: [ledger, luid, change],
  });
  const [row] = rows;
  if (!row) return undefined;
  const at = row.commitments.length / HASH_BYTES - 1 - (row.last - change);
  if (at < 0) return undefined;
  return {
    index: row.first + at,
    commitment: row.commitments.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    salt: row.salts?.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES) ?? null,
  };
}

/** Where a change was sealed, and leaves of a tree that has it. */
export interface LeafPlace {
  readonly index: number;
  readonly size: number;
}

/** Where changes were sealed: in their order, undefined for those that are not. In a cluster, each ledger's node is asked. */
export async function findPlaces(on: Queryable, changes: readonly LoggedChange[]): Promise<(LeafPlace | undefined)[]> {
  const found: (LeafPlace | undefined)[] = changes.map(() => undefined);
  const all = changes.map((change, at) => ({ ...change, at }));
  const isAmongNodes = await isDistributed(on);
  const ledgers = isAmongNodes ? [...new Set(changes.map(({ ledger }) => ledger))] : [];
  const groups = isAmongNodes ? ledgers.map((one) => all.filter(({ ledger }) => ledger === one)) : [all];
  for (const group of groups) {
    const { rows } = await on.query<LeafPlace & { at: number }>({
      name: isAmongNodes ? 'log-places-of-one' : 'log-places',
      text: isAmongNodes ? SELECT_PLACES_OF_ONE : SELECT_PLACES,
      values: [
        isAmongNodes ? group[0]!.ledger : group.map(({ ledger }) => ledger),
        textArray(group.map(({ luid }) => luid)),
        group.map(({ change }) => change),
        group.map(({ at }) => at),
      ],
    });
    for (const { at, index, size } of rows) found[at] = { index, size };
  }
  return found;
}

/** @param changes a table of changes, and which ledger each is of */
function selectPlaces(changes: string, ledger: string): string {
  return `select w.at, f.first + length(f.commitments) / 32 - 1 - (f.change - w.change) as index, g.size
    from ${changes}
      join log g on g.ledger_id = ${ledger},
      lateral (
        select * from log_leaf l where l.ledger_id = ${ledger} and l.luid = w.luid and l.change >= w.change
        order by l.change limit 1
      ) f
    where f.change - w.change < length(f.commitments) / 32`;
}

const SELECT_PLACES = selectPlaces(
  'unnest($1::bigint[], $2::text[], $3::int[], $4::int[]) as w (ledger, luid, change, at)',
  'w.ledger',
);
const SELECT_PLACES_OF_ONE = selectPlaces(
  'unnest($2::text[], $3::int[], $4::int[]) as w (luid, change, at)',
  '$1::bigint',
);

/** Whether what is stored now is not sealed soon: the log is stopped, or has changes of before to add first. */
export async function isLogStalled(on: Queryable, ledger: number): Promise<boolean> {
  const { rows } = await on.query<{ stalled: boolean }>({
    name: 'log-stalled',
    text: `select exists (select from log where ledger_id = $1 and stopped is not null)
      or exists (select from log_backfill where ledger_id = $1) as stalled`,
    values: [ledger],
  });
  return rows[0]!.stalled;
}

/** How far the log of a ledger is. */
export interface LogProgress {
  /** Leaves; 0 before the first. */
  readonly size: number;
  /** When leaves were last sealed; null before the first. */
  readonly sealed: Date | null;
  /** Why nothing is sealed; null while all is well. */
  readonly stopped: string | null;
  /** Changes that wait to be sealed, of `most` commits at most. */
  readonly count: number;
  /** Milliseconds since the oldest of them was stored; 0 where there is none. */
  readonly age: number;
  /** Whether changes of before the log are still to be added. */
  readonly isBehind: boolean;
}

/** Reads how far a log is. @param most commits that are counted */
export async function readLogProgress(on: Queryable, ledger: number, most: number): Promise<LogProgress> {
  const { rows } = await on.query<LogProgress>({
    name: 'log-state',
    text: `select coalesce(g.size, 0) as size, g.sealed, g.stopped, coalesce(sum(w.leaves), 0)::int as count,
        coalesce(greatest(extract(epoch from clock_timestamp() - min(w.moment)) * 1000, 0), 0)::float8 as age,
        exists (select from log_backfill b where b.ledger_id = $1) as "isBehind"
      from (select 1) one left join log g on g.ledger_id = $1
        left join lateral (
          select u.moment, (select sum(length(l) / 64) from unnest(u.leaves) l) as leaves
          from unsealed u where u.ledger_id = $1 order by u.id limit $2
        ) w on true
      group by g.size, g.sealed, g.stopped`,
    values: [ledger, most],
  });
  return rows[0]!;
}
