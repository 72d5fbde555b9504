import { decodeBase64 } from '@countersign/protocol';
import type pg from 'pg';
import { Type } from 'typebox';
import type { LedgerQuota } from '../ledger-quota.js';
import { type LedgerStatement, readByLedger } from '../store/nodes/by-ledger.js';
import { findBusiest } from './busiest.js';
import { type CountSince, createCountSince, HOUR } from './count-changes.js';
import { choice, defineOperation } from './operation.js';
import { WrongCall } from './refusals.js';
import { type StoredSuspension, type SuspensionColumns, suspensionOf } from './suspend.js';

/** What is seen of a ledger among others. */
export interface LedgerLine {
  readonly handle: string;
  readonly luid: string;
  /** Of the first change of its record, ISO 8601; null where that is missing. */
  readonly made: string | null;
  readonly owners: readonly LedgerOwner[];
  /** In force; more than are counted where `isMore` says so. */
  readonly records: { readonly count: number; readonly isMore: boolean };
  /** In all, and about how many of the last hour and day. */
  readonly changes: { readonly all: number; readonly hour: number; readonly day: number };
  readonly bytes: number;
  readonly quota: ShownQuota;
  readonly suspended: StoredSuspension | null;
  /** Why its log is stopped; null while all is well. */
  readonly logStopped: string | null;
}

export interface LedgerOwner {
  readonly key: string;
  /** Handles of the signers with that key. */
  readonly signers: readonly string[];
}

/** What a ledger may store. */
export interface ShownQuota {
  /** Null where nothing bounds it, or a part of a disk does, which the server knows. */
  readonly bytes: number | null;
  /** Whether an operator has set it for this ledger. */
  readonly isOwn: boolean;
}

/**
 * Newest first; those first that store most, or most of what they may, or have changed most in all; or those alone that have changed
 * within the last hour, most first.
 */
const ORDERS = ['made', 'hour', 'changes', 'bytes', 'full'] as const;

export type LedgerOrder = (typeof ORDERS)[number];

export interface LedgersPage {
  readonly ledgers: readonly LedgerLine[];
  /** Of those that were asked for. */
  readonly total: number;
}

/** Lists the ledgers of a deployment. */
export const ledgers = defineOperation({
  input: Type.Object(
    {
      order: choice(ORDERS),
      // Only those that are suspended, or that this key owns.
      isSuspended: Type.Optional(Type.Boolean()),
      owner: Type.Optional(Type.String({ maxLength: 100 })),
      limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
      skip: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
    },
    { additionalProperties: false },
  ),
  changes: () => false,
  async run({ onDatabase, now }, asked) {
    const { owner } = asked;
    // A name, say, would find nothing, and look as if its key owned nothing.
    if (owner !== undefined && decodeBase64(owner)?.length !== 32)
      throw new WrongCall(`An owner is a public key, 32 bytes in base64, not ${owner}.`);
    return onDatabase(({ pool, config }) => findLedgers(pool, asked, now(), config.ledgerQuota));
  },
});

interface LedgersQuery {
  readonly order: LedgerOrder;
  readonly isSuspended?: boolean | undefined;
  readonly owner?: string | undefined;
  readonly limit: number;
  readonly skip: number;
}

async function findLedgers(pool: pg.Pool, asked: LedgersQuery, now: number, each: LedgerQuota): Promise<LedgersPage> {
  const { order, isSuspended, owner, limit, skip } = asked;
  const where = [
    ...(isSuspended ? ['l.suspended is not null'] : []),
    ...(owner === undefined ? [] : ['l.owners @> array[$1::text]']),
  ];
  const filter = where.length === 0 ? '' : `where ${where.join(' and ')}`;
  const values = owner === undefined ? [] : [owner];
  const countSince = createCountSince(pool);
  if (order === 'hour') {
    const ids = await findBusiest(pool, { where, values }, countSince, now);
    const rows = await readRows(pool, ids.slice(skip, skip + limit));
    return { ledgers: await linesOf(rows, countSince, now, each), total: ids.length };
  }
  const { rows: counted } = await pool.query<{ total: number }>(
    `select count(*)::int as total from ledger l ${filter}`,
    values,
  );
  const { rows: page } = await pool.query<{ id: number }>(
    `select l.id from ledger l left join storage s on s.ledger_id = l.id left join log g on g.ledger_id = l.id
     ${filter} order by ${orderOf(order, each)} limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, limit, skip],
  );
  const rows = await readRows(
    pool,
    page.map(({ id }) => id),
  );
  return { ledgers: await linesOf(rows, countSince, now, each), total: counted[0]!.total };
}

/** Each has the id last: pages neither repeat nor leave out any. */
function orderOf(order: Exclude<LedgerOrder, 'hour'>, each: LedgerQuota): string {
  switch (order) {
    case 'made':
      return 'l.id desc';
    case 'bytes':
      return 's.bytes desc nulls last, l.id desc';
    case 'changes':
      return 'g.size desc nulls last, l.id desc';
    case 'full': {
      // A part of a disk is unknown here: such ledgers come after those with a quota of their own. One byte more, since that may be 0.
      const allowed = `coalesce(s.quota, ${each !== undefined && 'bytes' in each ? each.bytes : 'null'})`;
      return `coalesce(s.bytes, 0) / (${allowed} + 1)::float8 desc nulls last, s.bytes desc nulls last, l.id desc`;
    }
  }
}

/** Records that are counted one by one. */
export const MOST_COUNTED = 10_000;

/** What is seen of ledgers. It reads `change` by its key alone. */
const formatLinesQuery: LedgerStatement = (
  ledgers,
  id,
) => `select l.id, l.handle, l.luid, c.moment as made, l.suspended as level,
      l.suspended_why as reason, l.suspended_since as since, o.owners, n.records, coalesce(g.size, 0)::bigint as size,
      w.waiting::int as waiting, coalesce(s.bytes, 0)::bigint + w.bytes as bytes, s.quota, g.stopped
    from ${ledgers} l left join storage s on s.ledger_id = ${id} left join log g on g.ledger_id = ${id}
      left join change c on c.ledger_id = ${id} and c.luid = l.luid and c.change = 1
      cross join lateral (
        select coalesce(sum(cardinality(u.changes)), 0) as waiting, coalesce(sum(u.bytes), 0)::bigint as bytes
        from unsealed u where u.ledger_id = ${id}) w
      cross join lateral (
        select count(*)::int as records from (
          select from record r where r.ledger_id = ${id} limit ${MOST_COUNTED + 1}) r) n
      cross join lateral (
        select coalesce(json_agg(json_build_object('key', k.key, 'signers', array(
          select r.handle from record r where r.ledger_id = ${id} and r.kind = 'signer' and r.link = k.key
          order by r.seq limit 10)) order by k.ord), '[]') as owners
        from unnest(l.owners) with ordinality as k (key, ord)) o`;

/** In the order of the ids. */
async function readRows(pool: pg.Pool, ids: readonly number[]): Promise<LedgerRow[]> {
  const rows = await readByLedger<LedgerRow>(pool, ids, formatLinesQuery);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

interface LedgerRow extends SuspensionColumns {
  readonly id: number;
  readonly handle: string;
  readonly luid: string;
  readonly made: Date | null;
  readonly owners: readonly LedgerOwner[];
  readonly records: number;
  /** Leaves of its log, and writes that wait to be sealed. */
  readonly size: number;
  readonly waiting: number;
  readonly bytes: number;
  readonly quota: number | null;
  readonly stopped: string | null;
}

/** A line about one ledger, by its id. */
export async function findLine(pool: pg.Pool, id: number, now: number, quota: LedgerQuota): Promise<LedgerLine> {
  const [line] = await linesOf(await readRows(pool, [id]), createCountSince(pool), now, quota);
  return line!;
}

async function linesOf(
  rows: readonly LedgerRow[],
  countSince: CountSince,
  now: number,
  quota: LedgerQuota,
): Promise<LedgerLine[]> {
  const logs = rows.map(({ id, size }) => ({ ledger: id, size }));
  const hours = await countSince(logs, new Date(now - HOUR));
  const days = await countSince(logs, new Date(now - 24 * HOUR));
  return rows.map((row, at) => ({
    handle: row.handle,
    luid: row.luid,
    made: row.made?.toISOString() ?? null,
    owners: row.owners,
    records: { count: Math.min(row.records, MOST_COUNTED), isMore: row.records > MOST_COUNTED },
    changes: {
      all: row.size + row.waiting,
      hour: hours[at]! + row.waiting,
      day: days[at]! + row.waiting,
    },
    bytes: row.bytes,
    quota: viewQuota(row.quota, quota),
    suspended: suspensionOf(row),
    logStopped: row.stopped,
  }));
}

export function viewQuota(own: number | null, each: LedgerQuota): ShownQuota {
  if (own !== null) return { bytes: own, isOwn: true };
  return { bytes: each !== undefined && 'bytes' in each ? each.bytes : null, isOwn: false };
}
