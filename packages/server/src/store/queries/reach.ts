import pg from 'pg';
import { type DatabasePlace, parseDatabaseUrl, placeOfHost } from '../hosts/database-url.js';
import { isUnavailable } from '../unavailable.js';

/** The oldest supported PostgreSQL. */
const OLDEST_POSTGRES = 15;

/** The database does not answer. An error that it reports is an answer. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';
}

/**
 * Turns an error of the database at the start into one line that says which database it is and what to try, and leaves
 * the password out.
 *
 * @param url the connection string
 * @param ours whether it is the embedded PostgreSQL
 * @returns DatabaseUnreachable or Error; any other error unchanged
 */
export function explainError(error: unknown, url: string, ours: boolean): unknown {
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : (error as NodeJS.ErrnoException);
  if (!(first instanceof Error)) return error;
  const { code } = first as NodeJS.ErrnoException;
  // Errors of files have codes too, and a path.
  const isDriver = (code !== undefined && !('path' in first)) || CONNECTION.test(first.message);
  const isDatabase = first instanceof pg.DatabaseError || isDriver;
  if (!isDatabase) return error;
  const { user, database } = databasePlaceOf(url);
  const Kind = isUnavailable(first) ? DatabaseUnreachable : Error;
  return new Kind(`${describeDatabase(url, ours)} ${describeProblem(code, first.message, user, database)}`, {
    cause: error,
  });
}

/** Messages of the driver about connections, which lack a code. */
const CONNECTION = /connection|SSL|timeout/i;

/** @throws Error in one line when the release or the encoding of the database is unsupported */
export async function assertUsable(pool: pg.Pool, url: string, ours: boolean): Promise<void> {
  const { rows } = await pool.query<{ version: string; release: number; encoding: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as release,
       current_setting('server_encoding') as encoding`,
  );
  const why = rows[0] && unusable(rows[0]);
  if (why !== undefined) throw new Error(`${describeDatabase(url, ours)} ${why}`);
}

/**
 * The reason why a database is unusable, to complete a sentence that begins with the database.
 *
 * @param release as PostgreSQL counts them: 150004 is 15.4
 */
export function unusable(of: { version: string; release: number; encoding: string }): string | undefined {
  if (of.release < OLDEST_POSTGRES * 10_000) {
    return `is PostgreSQL ${of.version}, and ${OLDEST_POSTGRES} is the oldest that can be used: upgrade it, or use another`;
  }
  if (of.encoding !== 'UTF8') {
    return `keeps text as ${of.encoding}, and it must be UTF8: make one with create database … encoding 'UTF8' template template0`;
  }
  return undefined;
}

function describeDatabase(url: string, ours: boolean): string {
  return ours ? 'The PostgreSQL in DATA_DIR' : `The database at ${databasePlaceOf(url).host} (DATABASE_URL)`;
}

function describeProblem(code: string | undefined, message: string, user: string, database: string): string {
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `does not answer (${code}): is PostgreSQL running there, and does it listen on that address?`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'cannot be found: is the name of its host right?';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `cannot be reached (${code}): look for a firewall in between, and at the address`;
    case '28P01':
    case '28000':
      return `does not let the user "${user}" in (${message}): look at user and password, and at its pg_hba.conf`;
    case '3D000':
      return `has no database "${database}": make it with create database, in UTF8`;
    case '42501':
      return `does not let the user "${user}" do what it must (${message}): migrate with the owner of the tables first (countersign-server --migrate, with DATABASE_ROLE), or make it the owner`;
    case '53300':
      return `has no connection left (${message}): raise its max_connections, or lower WORKERS`;
    case '57014':
      return `answers, but has cancelled a statement (${message}): it took too long, so try again when there is less to do`;
    case '57P03':
      return `is not ready yet (${message}): try again in a moment`;
  }
  if (/timeout/i.test(message)) return 'does not answer in time: look for a firewall in between, and at the address';
  return `cannot be used: ${message}`;
}

/** Where a connection string leads: all of its hosts; the password is left out. */
function databasePlaceOf(text: string): DatabasePlace {
  const places = parseDatabaseUrl(text).urls.map(placeOfHost);
  return { ...places[0]!, host: places.map(({ host }) => host).join(',') };
}
