import type { Queryable } from '../queries/statement.js';
import { type StoredVersion, versionsOf } from '../queries/version.js';

/** A change that has no leaf. */
export interface Unlogged extends StoredVersion {
  readonly kind: string;
}

/** A change that has no leaf, and no text: its leaf came with an import. */
export interface UnloggedErased {
  readonly body: null;
  readonly luid: string;
  readonly change: number;
  /** As if it had been queued; null where it is missing. */
  readonly leaf: string | null;
}

/** Where a backfill stands: the last change it has seen. */
export interface BackfillPlace {
  readonly luid: string;
  readonly change: number;
}

/**
 * The next changes that have no leaf, in the order of luids and numbers. Those that wait in the queue have one: a commit
 * stores both at once, so one statement sees either or neither.
 *
 * @param most changes that are looked at
 * @param bytes of texts, after which no more are read; one that is larger is read alone. What a text shares with a later one
 *   (`cut`) counts by its characters
 * @returns the changes, and the last one that was looked at: undefined when there was none left
 */
export async function readUnlogged(
  on: Queryable,
  ledger: number,
  most: number,
  bytes: number,
): Promise<{ rows: (Unlogged | UnloggedErased)[]; end: BackfillPlace | undefined }> {
  const { rows: places } = await on.query<BackfillPlace>({
    text: 'select luid, change from log_backfill where ledger_id = $1',
    values: [ledger],
  });
  const [place] = places;
  if (!place) return { rows: [], end: undefined };
  const { rows } = await on.query<(Unlogged | UnloggedErased) & { isLogged: boolean }>({
    text: UNLOGGED,
    values: [ledger, most, bytes, place.luid, place.change],
  });
  return { rows: rows.filter(({ isLogged }) => !isLogged), end: rows.at(-1) };
}

/** The place is a parameter, so that the index leads there; the queue is hashed once, however long it is. */
const UNLOGGED = `with next as (
    select c.luid, c.change, coalesce(octet_length(c.body), 0) + coalesce(c.cut, 0) as bytes from change c
    where c.ledger_id = $1 and (c.luid, c.change) > ($4::text, $5::int)
    order by c.luid, c.change limit $2
  ),
  summed as (
    select luid, change, sum(bytes) over (order by luid, change) - bytes as before, bytes from next
  ),
  found as (
    select v.* from summed s, lateral (
      select v.luid, v.change, v.kind, v.action, v.body, v.mac from ${versionsOf('$1')} v
      where v.ledger_id = $1 and v.luid = s.luid and v.change = s.change limit 1
    ) v
    where s.before = 0 or s.before + s.bytes <= $3
  ),
  waiting as materialized (
    select q.luid, q.change - length(q.leaves) / 64 + 1 as first, q.change as last
    from unsealed u, unnest(u.luids, u.changes, u.leaves) as q (luid, change, leaves)
    where u.ledger_id = $1
  )
  -- A restart has already copied the leaves of erased versions.
  select f.*, e.leaf, w.luid is not null or f.body is null and e.leaf is null and exists (
    select from log_leaf l where l.ledger_id = $1 and l.luid = f.luid and l.salts is null
      and f.change between l.change - length(l.commitments) / 32 + 1 and l.change
  ) as "isLogged"
  from found f left join waiting w on w.luid = f.luid and f.change between w.first and w.last
    left join erased_leaf e on e.ledger_id = $1 and e.luid = f.luid and e.change = f.change
  order by f.luid, f.change`;

/** Moves a backfill on, or ends it. */
export async function moveBackfill(on: Queryable, ledger: number, end: BackfillPlace | undefined): Promise<void> {
  if (!end) {
    await on.query({ text: 'delete from log_backfill where ledger_id = $1', values: [ledger] });
    return;
  }
  const values = [ledger, end.luid, end.change];
  await on.query({ text: 'update log_backfill set luid = $2, change = $3 where ledger_id = $1', values });
  // The log has them by this transaction.
  await on.query({
    text: 'delete from erased_leaf where ledger_id = $1 and (luid, change) <= ($2, $3::int)',
    values,
  });
}
