import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '../../src/store/parameters.js';
import { createDatabase, type TestDatabase } from '../support/database.js';

const SQL = `create type sample as (
  -- Its position, from 1.
  ord int, note text, count bigint,
  flag boolean, tags text[]
);`;

interface Sample {
  readonly note: string | undefined;
  readonly count: number | undefined;
  readonly flag: boolean | undefined;
  readonly tags: readonly string[];
}

const columns = {
  ord: (_: Sample, ord: number | null) => ord,
  note: ({ note }: Sample) => note,
  count: ({ count }: Sample) => count,
  flag: ({ flag }: Sample) => flag,
  tags: ({ tags }: Sample) => `{${tags.map((tag) => JSON.stringify(tag)).join(',')}}`,
};

describe('rows of a composite type', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(SQL);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('arrive as they are, whatever their texts are', async () => {
    const toRows = rowsOf<Sample>(SQL, 'sample', columns);
    const text = fc.oneof(
      fc.constantFrom('', 'null', 'NULL', ' ', ',', '()', '(",")', '\\', '"', '\\"', '{}', 'plain', '\n', '🄲'),
      fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\u0000')),
    );
    const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
    const row = fc.record({
      note: optional(text),
      count: optional(fc.maxSafeInteger()),
      flag: optional(fc.boolean()),
      tags: fc.array(fc.constantFrom('a', 'b c', 'd"e', 'f,g', '')),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
        const { rows: read } = await client.query(
          'select ord, note, count::text, flag, tags from unnest($1::sample[]) s order by ord',
          [toRows(rows)],
        );
        expect(read).toEqual(
          rows.map(({ note = null, count, flag = null, tags }, index) => {
            return { ord: index + 1, note, count: count === undefined ? null : String(count), flag, tags };
          }),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('take the positions that are given', async () => {
    const none = { note: undefined, count: undefined, flag: undefined, tags: [] };
    const { rows } = await client.query('select ord from unnest($1::sample[]) s', [
      rowsOf<Sample>(SQL, 'sample', columns)([none, none], [7, null]),
    ]);
    expect(rows).toEqual([{ ord: 7 }, { ord: null }]);
  });

  it('have the columns that SQL declares, or none are written', () => {
    const { tags: _, ...fewer } = columns;
    expect(() => rowsOf<Sample>(SQL, 'sample', fewer)).toThrow(
      'The columns of sample are ord, note, count, flag, tags',
    );
    expect(() => rowsOf<Sample>(SQL, 'other', columns)).toThrow('No type other is made.');
  });
});
