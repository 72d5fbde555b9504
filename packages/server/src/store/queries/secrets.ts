import type pg from 'pg';

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
