import type pg from 'pg';

/**
 * The luids of the records that proofs were used for, unordered. The commit checks this itself; callers ask before they
 * do something irreversible, such as a call to a bridge.
 *
 * @param proofs as `useOf` names them; `veiled`, the same as those of erased records are kept
 */
export type UsedProofs = (query: {
  ledger: number;
  proofs: readonly string[];
  veiled: readonly string[];
}) => Promise<string[]>;

export function createUsedProofs(pool: pg.Pool): UsedProofs {
  return async ({ ledger, proofs, veiled }) => {
    const { rows } = await pool.query<{ luid: string }>({
      name: 'used-proofs',
      text: `select luid from used_proof where ledger_id = $1 and digest = any($2::uuid[])
        union select luid from erased_proof where ledger_id = $1 and digest = any($3::uuid[])`,
      values: [ledger, proofs, veiled],
    });
    return rows.map(({ luid }) => luid);
  };
}
