import type pg from 'pg';

/**
 * The luids of the records that proofs were used for, unordered. The commit checks this itself; callers ask before they
 * do something irreversible, such as a call to a bridge.
 *
 * @param proofs as `useOf` names them
 */
export type UsedProofs = (query: { ledger: number; proofs: readonly string[] }) => Promise<string[]>;

export function createUsedProofs(pool: pg.Pool): UsedProofs {
  return async ({ ledger, proofs }) => {
    const { rows } = await pool.query<{ luid: string }>({
      name: 'used-proofs',
      text: 'select distinct luid from used_proof where ledger_id = $1 and digest = any($2::uuid[])',
      values: [ledger, proofs],
    });
    return rows.map(({ luid }) => luid);
  };
}
