import { type RawBuilder, sql } from 'kysely';
import type { DeliveryOwner } from '../../kinds/declaration.js';
import type { NewDelivery } from '../committer/write.js';
import { createBodies } from '../queries/bodies.js';
import { deliveryCondition, type PathFilter } from '../queries/filter.js';
import type { AsOf } from '../queries/history.js';
import { queryLimits } from '../queries/query-limits.js';
import { type Queryable, statementRunner } from '../queries/statement.js';
import { DELIVERY_COLUMNS, type DeliveryColumns, withoutNulls } from './delivery-columns.js';

/** The deliveries of one effect, or to one bridge. */
export interface DeliveryScope {
  readonly ledger: number;
  readonly owner: DeliveryOwner;
  /** The luid of the effect, the handle of the bridge. */
  readonly id: string;
  /** Domains whose effects' deliveries are in it, beside those of effects at large; null for those of any domain. */
  readonly domains: readonly string[] | null;
}

/** A delivery as its row has it: unverified. */
export interface ListedDelivery extends NewDelivery {
  /** When it was queued. */
  readonly moment: Date;
  readonly status: string;
  readonly attempts: number;
  /** Moment of the event's proof, which is that of the first attempt. */
  readonly signed: Date | null;
  /** Bytes of its proofs. */
  readonly size: number;
  /** Proofs of its attempts as JSON, joined by commas; null where earlier ones have used up the bytes of the answer. */
  readonly proofs: string | null;
}

export interface DeliveryPageQuery extends DeliveryScope {
  readonly filters: readonly PathFilter[];
  readonly limit: number;
  readonly offset: number;
}

type DeliveryListRow = AsOf<Omit<DeliveryColumns<ListedDelivery>, 'handle'>> & {
  /** Null in the one row of an empty page. */
  readonly handle: string | null;
};

export function createDeliveryLists(on: Queryable) {
  const run = statementRunner(on);
  const read = async ({ ledger }: DeliveryScope, found: RawBuilder<unknown>, most: number) => {
    const rows = await run(sql<DeliveryListRow>`
      select l.version, ${sql.raw(DELIVERY_COLUMNS)}, d.moment, d.status, d.attempts, d.signed,
        octet_length(d.proofs) as size,
        case when d.proofs = ''
          or sum(octet_length(d.proofs)) over (order by d.seq desc rows unbounded preceding) <= ${sql.lit(most)}
          then d.proofs end as proofs
      from ledger l left join (${found}) d on true
      where l.id = ${ledger} order by d.seq desc`);
    return { version: rows[0]?.version ?? 0, deliveries: rows.flatMap(toDelivery) };
  };
  return {
    /**
     * A page of deliveries, the newest first, with the proofs of those within `queryLimits.answers.atOnce` bytes.
     *
     * @throws `api.request-timeout` when the query takes too long
     */
    page(query: DeliveryPageQuery): Promise<AsOf<{ readonly deliveries: readonly ListedDelivery[] }>> {
      const { filters, limit, offset } = query;
      const where = sql.join([inScope(query), ...filters.map(deliveryCondition)], sql` and `);
      const page = sql`select * from delivery d where d.ledger_id = ${query.ledger} and ${where}
        order by d.seq desc limit ${sql.lit(limit)} ${offset === 0 ? sql`` : sql`offset ${offset}`}`;
      return read(query, page, queryLimits.answers.atOnce);
    },
    /** Deliveries by their handles, with their proofs, the newest first. */
    named(
      query: DeliveryScope & { readonly handles: readonly string[] },
    ): Promise<AsOf<{ readonly deliveries: readonly ListedDelivery[] }>> {
      const named = sql`select * from delivery d where d.ledger_id = ${query.ledger}
        and d.handle = any(${query.handles}::text[]) and ${inScope(query)}`;
      return read(query, named, Number.MAX_SAFE_INTEGER);
    },
    /** The versions that events are made of. */
    versions: createBodies(on),
  };
}

function inScope({ owner, id, domains }: DeliveryScope): RawBuilder<boolean> {
  const own = owner === 'effect' ? sql<boolean>`d.effect = ${id}` : sql<boolean>`d.bridge = ${id}`;
  if (domains === null) return own;
  return sql`${own} and (d.effect_domain is null or d.effect_domain = any(${domains}::text[]))`;
}

function toDelivery({ version: _, handle, ...row }: DeliveryListRow): ListedDelivery[] {
  return handle === null ? [] : [withoutNulls<ListedDelivery>({ ...row, handle } as DeliveryColumns<ListedDelivery>)];
}
