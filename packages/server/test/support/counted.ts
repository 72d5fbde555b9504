import { runSql } from './sql.js';

/** The ledgers of a database whose rows take other bytes than were counted for their quotas. */
export function miscounted(url: string): Promise<{ handle: string; stored: number; counted: number }[]> {
  return runSql(
    url,
    `select * from (
       select handle, stored_bytes(id)::int as stored, (coalesce((select bytes from storage where ledger_id = id), 0)
         + coalesce((select sum(bytes) from unsealed where ledger_id = l.id), 0))::int as counted
       from ledger l) counts
     where stored <> counted`,
    [],
  );
}
