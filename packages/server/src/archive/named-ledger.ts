import type pg from 'pg';
import type { ArchiveRefusal } from './refusals.js';

export interface NamedLedger {
  readonly id: number;
  readonly handle: string;
  readonly luid: string;
  readonly version: number;
}

/**
 * The ledger that an operator names by handle or luid.
 *
 * @param Refusal is thrown where there is none
 */
export async function findNamedLedger(
  on: pg.Pool | pg.PoolClient,
  name: string,
  Refusal: new (message: string) => ArchiveRefusal,
): Promise<NamedLedger> {
  const { rows } = await on.query<NamedLedger>(
    'select id, handle, luid, version from ledger where handle = $1 or luid = $1 order by (luid = $1) desc',
    [name],
  );
  if (!rows[0]) throw new Refusal(`There is no ledger ${name} in this database.`);
  return rows[0];
}
