import { runSql } from './sql.js';

interface Counts {
  readonly handle: string;
  readonly stored: number;
  readonly counted: number;
}

/** The ledgers of a database whose rows take other bytes than were counted for their quotas. */
export async function miscounted(url: string): Promise<Counts[]> {
  const ledgers = await runSql<{ id: string; handle: string }>(url, 'select id, handle from ledger');
  const all: Counts[] = [];
  // One at a time: each is on one node of a cluster.
  for (const { id, handle } of ledgers) {
    const [{ stored } = { stored: 0 }] = await runSql<Pick<Counts, 'stored'>>(
      url,
      'select stored_bytes($1)::int as stored',
      [id],
    );
    const [{ counted } = { counted: 0 }] = await runSql<Pick<Counts, 'counted'>>(
      url,
      `select (coalesce((select bytes from storage where ledger_id = $1::bigint), 0)
         + coalesce((select sum(bytes) from unsealed where ledger_id = $1::bigint), 0))::int as counted`,
      [id],
    );
    all.push({ handle, stored, counted });
  }
  return all.filter(({ stored, counted }) => stored !== counted);
}
