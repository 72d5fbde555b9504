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
  for (const { id, handle } of ledgers) all.push({ handle, ...(await countsOf(url, id)) });
  return all.filter(({ stored, counted }) => stored !== counted);
}

/** Of a moment: a cluster cannot read both in one statement, and a delivery that goes on meanwhile changes both. */
async function countsOf(url: string, ledger: string): Promise<Omit<Counts, 'handle'>> {
  for (let tries = 0; ; tries += 1) {
    const counted = await countedOf(url, ledger);
    const [{ stored } = { stored: 0 }] = await runSql<Pick<Counts, 'stored'>>(
      url,
      'select stored_bytes($1)::int as stored',
      [ledger],
    );
    if (tries === 50 || (await countedOf(url, ledger)) === counted) return { stored, counted };
  }
}

async function countedOf(url: string, ledger: string): Promise<number> {
  const [row] = await runSql<Pick<Counts, 'counted'>>(
    url,
    `select (coalesce((select bytes from storage where ledger_id = $1::bigint), 0)
       + coalesce((select sum(bytes) from unsealed where ledger_id = $1::bigint), 0))::int as counted`,
    [ledger],
  );
  return row?.counted ?? 0;
}
