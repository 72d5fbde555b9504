import type pg from 'pg';
import type { Queryable } from './statement.js';

/** Sealed values of secret references that a record has. */
export type SecretLookup = (of: { ledger: number; luid: string }) => Promise<{ name: string; sealed: Buffer }[]>;

export function createSecrets(pool: pg.Pool): SecretLookup {
  return async ({ ledger, luid }) => {
    const { rows } = await pool.query<{ name: string; sealed: Buffer }>({
      name: 'secrets',
      text: 'select name, sealed from secret where ledger_id = $1 and luid = $2',
      values: [ledger, luid],
    });
    return rows;
  };
}

/** The name of the secret, of the ledger itself, that holds its key for names that are veiled. */
export const VEIL_SECRET = 'veil';

/** The key with which a ledger names what stays of erased records, as it came with the ledger (integrity/veil.ts). */
export async function findVeil(
  on: Queryable,
  { id, luid }: { readonly id: number; readonly luid: string },
): Promise<Buffer | undefined> {
  const { rows } = await on.query<{ sealed: Buffer }>({
    name: 'ledger-veil',
    text: `select sealed from secret where (ledger_id, luid, name) = ($1, $2, $3)`,
    values: [id, luid, VEIL_SECRET],
  });
  return rows[0]?.sealed;
}
