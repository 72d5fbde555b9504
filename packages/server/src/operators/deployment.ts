import { randomBytes } from 'node:crypto';
import type pg from 'pg';

/** The row of the table `deployment` that names it. */
const ID = 'id';

/** The name of this deployment that no other has: its database keeps it. Operators sign for it. */
export async function readDeploymentId(pool: pg.Pool): Promise<string> {
  await pool.query('insert into deployment (name, value) values ($1, $2) on conflict (name) do nothing', [
    ID,
    randomBytes(16).toString('base64url'),
  ]);
  const { rows } = await pool.query<{ value: string }>('select value from deployment where name = $1', [ID]);
  return rows[0]!.value;
}
