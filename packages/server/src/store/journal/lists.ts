import { type RawBuilder, sql } from 'kysely';
import { type PathFilter, rowCondition } from '../queries/filter.js';
import type { AsOf } from '../queries/history.js';
import { type Queryable, statementRunner } from '../queries/statement.js';
import type { JournalRow } from './entries.js';

/** A page of a journal. */
export interface JournalQuery {
  readonly ledger: number;
  /** What all of its entries have as their target. */
  readonly target: string;
  readonly filters: readonly PathFilter[];
  readonly limit: number;
  readonly offset: number;
}

type ListedRow = Pick<JournalRow, 'handle' | 'record' | 'action' | 'source' | 'data' | 'result'>;

/** Entries, the newest first. */
export type Entries = AsOf<{ readonly entries: readonly ListedRow[] }>;

export function createJournalLists(on: Queryable) {
  const run = statementRunner(on);
  const read = async (ledger: number, found: RawBuilder<unknown>): Promise<Entries> => {
    const rows = await run(sql<AsOf<Omit<ListedRow, 'handle'> & { readonly handle: string | null }>>`
      select l.version, p.handle, p.record, p.action, p.source, p.data, p.result
      from ledger l left join lateral (${found}) p on true
      where l.id = ${ledger} order by p.moment desc, p.handle desc`);
    const isEntry = (row: (typeof rows)[number]): row is AsOf<ListedRow> => row.handle !== null;
    return { version: rows[0]?.version ?? 0, entries: rows.filter(isEntry) };
  };
  return {
    /** @throws `api.request-timeout` when the query takes too long */
    page({ ledger, target, filters, limit, offset }: JournalQuery): Promise<Entries> {
      const columns = { ...FILTER_COLUMNS, 'data.target': sql<string>`${target}::text` };
      const where = sql.join(
        [sql`r.ledger_id = l.id`, ...filters.map((one) => rowCondition(one, columns))],
        sql` and `,
      );
      return read(
        ledger,
        sql`select r.* from request r where ${where} order by r.moment desc, r.handle desc
          limit ${sql.lit(limit)} offset ${offset}`,
      );
    },
    /** The entry of that handle, if there is one. */
    one: (ledger: number, handle: string): Promise<Entries> =>
      read(ledger, sql`select r.* from request r where r.ledger_id = l.id and r.handle = ${handle}`),
  };
}

const FILTER_COLUMNS = {
  'data.handle': sql<string>`r.handle`,
  'data.record': sql<string>`r.record`,
  'data.action': sql<string>`r.action`,
  'data.source': sql<string>`r.source`,
  'meta.status': sql<string>`r.status`,
  // Entries have none.
  'meta.labels': sql<string>`null::text`,
  'meta.moment': sql<string>`r.moment`,
};
