import type pg from 'pg';
import { useTables } from '../nodes/distribution.js';
import { transaction } from '../transaction.js';

/** Tables that only grow: what serves may add to them. Erasure overwrites versions, which their trigger alone allows. */
const GROWING: Readonly<Record<string, string>> = {
  change: 'select, insert, update',
  entry: 'select, insert',
  kysely_migration: 'select',
};

/**
 * Lets a role serve that is not the owner of the tables: it reads and writes rows, and changes no table, trigger or function.
 *
 * @throws Error in one line where there is no such role, or it owns the tables itself, or is a superuser
 */
export function grantToServe(pool: pg.Pool, role: string): Promise<void> {
  return transaction(pool, async (client) => {
    // Two at once would change the same rows of the catalog, which fails.
    await client.query('select pg_advisory_xact_lock($1)', [GRANT_LOCK]);
    await useTables(client, 'transaction ends');
    const { schema, quoted } = await findRole(client, role);
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'v')
       and relowner = (select relowner from pg_class where oid = 'change'::regclass) order by relname`,
    );
    const grants = tables.map(
      ({ name }) => `revoke all on ${schema}."${name}" from ${quoted};
      grant ${GROWING[name] ?? 'select, insert, update, delete'} on ${schema}."${name}" to ${quoted};`,
    );
    await client.query(`grant usage on schema ${schema} to ${quoted};
    ${grants.join('\n')}
    grant usage, select on all sequences in schema ${schema} to ${quoted};
    grant execute on all functions in schema ${schema} to ${quoted};`);
  });
}

/** The number of the advisory lock of whoever grants. */
const GRANT_LOCK = 7_260_414;

/** Quoted names of the role, and of the schema of the tables. @throws as `grantToServe` does */
async function findRole(client: pg.PoolClient, role: string): Promise<{ schema: string; quoted: string }> {
  const { rows } = await client.query<{ rolsuper: boolean; isowner: boolean; schema: string; quoted: string }>(
    `select rolsuper, pg_has_role(oid, c.relowner, 'member') as isowner, quote_ident(current_schema()) as schema, quote_ident(rolname) as quoted
     from pg_roles r, (select relowner from pg_class where oid = 'change'::regclass) c where rolname = $1`,
    [role],
  );
  const found = rows[0];
  if (found === undefined)
    throw new Error(`DATABASE_ROLE ${role} is not a role of the database: make it with create role`);
  if (found.rolsuper || found.isowner)
    throw new Error(`DATABASE_ROLE ${role} is a superuser, or owns the tables: name a role that does neither`);
  return found;
}
