import { ofReachable, readConfined } from '../nodes/reachable.js';
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

/** What is known of the logs of some ledgers. */
interface FoundLogs {
  readonly logs: readonly LogOfLedger[];
  /** Luids of ledgers on nodes of a cluster that are down. */
  readonly away: readonly string[];
}

/** The logs of ledgers, by luid. Those that are not there are left out. */
export async function findLogsOf(on: Queryable, luids: readonly string[]): Promise<FoundLogs> {
  const { rows: all } = await on.query<{ ledger: number; luid: string }>({
    text: 'select id as ledger, luid from ledger where luid = any($1::text[])',
    values: [luids],
  });
  type Row = Pick<LogOfLedger, 'ledger' | 'origin' | 'size'>;
  const found = await readConfined<Row>(
    on,
    { text: `select ledger_id as ledger, origin, size from log where ${ofReachable('ledger_id')}`, values: [] },
    (statement) => on.query<Row>(statement),
    all.map(({ ledger }) => ledger),
  );
  const logs = new Map(found.rows.map((row) => [row.ledger, row]));
  const reached = found.ledgers && new Set(found.ledgers);
  const isAway = ({ ledger }: { ledger: number }) => reached !== undefined && !reached.has(ledger);
  return {
    logs: all.filter((one) => !isAway(one)).map((one) => ({ origin: null, size: 0, ...logs.get(one.ledger), ...one })),
    away: all.filter(isAway).map(({ luid }) => luid),
  };
}

/** How many logs are stopped. */
export async function countStopped(on: Queryable): Promise<number> {
  const text = 'select count(*)::int as stopped from log where stopped is not null';
  const { rows } = await on.query<{ stopped: number }>({ text, values: [] });
  return rows[0]?.stopped ?? 0;
}
