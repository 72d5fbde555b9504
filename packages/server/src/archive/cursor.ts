import type pg from 'pg';

/** Rows fetched at once, and characters of them that are too many: then fewer are fetched. */
const FETCHED_ROWS = 256;
const CHARACTERS = 4 * 1024 * 1024;

/**
 * The rows of a query, a few at a time. The connection must be in a transaction.
 *
 * @param weigh characters of a row
 */
export async function* rowsOf<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: string,
  values: unknown[],
  { weigh = () => 0 }: { readonly weigh?: (row: R) => number } = {},
): AsyncGenerator<R> {
  await client.query(`declare rows no scroll cursor for ${text}`, values);
  let count = FETCHED_ROWS;
  for (;;) {
    const { rows } = await client.query<R>(`fetch forward ${count} from rows`);
    yield* rows;
    if (rows.length < count) break;
    const characters = rows.reduce((sum, row) => sum + weigh(row), 0);
    count = Math.max(1, Math.min(FETCHED_ROWS, Math.floor((CHARACTERS / Math.max(1, characters)) * count)));
  }
  await client.query('close rows');
}
