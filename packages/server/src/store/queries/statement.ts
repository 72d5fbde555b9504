import { LedgerError } from '@countersign/protocol';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';
import pg from 'pg';
import { limits } from '../../limits.js';
import { createNames } from './names.js';

/** What runs a statement: a pool, or one connection of it. */
export type Queryable = {
  query<R extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Pick<pg.QueryResult<R>, 'rows'>>;
};

/** Compiles statements; it never runs one. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Runs statements that are made on the fly; those that come often are kept planned.
 *
 * @returns the rows
 * @throws as `throwIfTooLong` does; else what the database throws
 */
export function statementRunner(on: Queryable): <T>(statement: RawBuilder<T>) => Promise<T[]> {
  const nameOf = createNames();
  return async <T>(statement: RawBuilder<T>): Promise<T[]> => {
    const { sql: text, parameters } = statement.compile(compiler);
    const name = nameOf(text);
    const query = { ...(name && { name }), text, values: [...parameters] };
    const { rows } = await on.query<T & pg.QueryResultRow>(query).catch(throwIfTooLong);
    return rows;
  };
}

/**
 * @throws `api.request-timeout` when it was the time to find the list that ran out: it could not be found sooner the next
 *   time, unless what kept the database busy was something else
 */
export function throwIfTooLong(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== CANCELED) throw error;
  const detail = `The list was not found within ${limits.listing / 1000} seconds. Filters for equality are found faster.`;
  throw new LedgerError('api.request-timeout', detail);
}

const CANCELED = '57014';
