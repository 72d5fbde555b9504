import type pg from 'pg';
import { countAllConnections } from '../embedded.js';

/** What the database gives a role, and what this server may take of it. */
export interface ConnectionRoom {
  readonly used: number;
  /** What all of the role's servers may have together. */
  readonly most: number;
  /** What this server may need: `(WORKERS + 1)` processes, and a reserve for operators. */
  readonly needed: number;
  /** What to do, in one line; undefined where it suffices. */
  readonly advice: string | undefined;
}

/** Compares the connections that a server with so many processes may open with those that the database gives. */
export async function findConnectionRoom(pool: pg.Pool, workers: number): Promise<ConnectionRoom> {
  const { rows } = await pool.query<{
    max: number;
    reserved: number;
    ofrole: number;
    ofdatabase: number;
    used: number;
  }>(
    `select current_setting('max_connections')::int as max,
       current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int as reserved,
       (select rolconnlimit from pg_roles where rolname = current_user) as ofrole,
       (select datconnlimit from pg_database where datname = current_database()) as ofdatabase,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`,
  );
  const { max, reserved, ofrole, ofdatabase, used } = rows[0]!;
  const needed = countAllConnections(workers);
  const limits = [
    { name: 'max_connections', most: max - reserved, set: needed + reserved },
    { name: 'the connection limit of the role', most: ofrole, set: needed },
    { name: 'the connection limit of the database', most: ofdatabase, set: needed },
  ].filter(({ most }) => most >= 0);
  const least = limits.reduce((one, other) => (other.most < one.most ? other : one));
  const advice =
    least.most >= needed
      ? undefined
      : `${least.name} leaves ${least.most} connections, and this server may need ${needed}: raise it to ${least.set}, and by ${needed} for each further server, or lower WORKERS`;
  return { used, most: least.most, needed, advice };
}
