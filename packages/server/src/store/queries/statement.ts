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
import { databaseLimits } from '../database-limits.js';
import { createNames } from './names.js';

/** A pool, or one connection of it. */
export type Queryable = {
  query<R extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Pick<pg.QueryResult<R>, 'rows'>>;
};

/** Compiles statements without running them. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Runs generated statements; frequent ones are kept prepared.
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
 * @throws `api.request-timeout` when the statement was canceled for taking too long: a retry would take as long, unless
 *   other work kept the database busy; any other error unchanged
 */
export function throwIfTooLong(error: unknown): never {
  if (!isCanceled(error)) throw error;
  const detail = `The list was not found within ${databaseLimits.listing / 1000} seconds. Filters for equality are found faster.`;
  throw new LedgerError('api.request-timeout', detail);
}

/** Whether the statement was canceled for taking too long. */
export function isCanceled(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === CANCELED;
}

const CANCELED = '57014';
