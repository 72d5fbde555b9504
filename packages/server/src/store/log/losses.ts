import type { Queryable } from '../queries/statement.js';

/** How far the log of a ledger is. */
export interface LogOfLedger {
  readonly ledger: number;
  readonly luid: string;
  /** Null while the ledger has no log. */
  readonly origin: string | null;
  /** How many leaves it has. */
  readonly size: number;
}

/** The logs of ledgers, by luid. Those that are not there are left out. */
export async function findLogsOf(on: Queryable, luids: readonly string[]): Promise<LogOfLedger[]> {
  const { rows } = await on.query<LogOfLedger>({
    text: `select l.id as ledger, l.luid, g.origin, coalesce(g.size, 0) as size
      from ledger l left join log g on g.ledger_id = l.id where l.luid = any($1::text[])`,
    values: [luids],
  });
  return rows;
}

/** How many logs are stopped. */
export async function countStopped(on: Queryable): Promise<number> {
  const text = 'select count(*)::int as stopped from log where stopped is not null';
  const { rows } = await on.query<{ stopped: number }>({ text, values: [] });
  return rows[0]?.stopped ?? 0;
}
