import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bytesArray } from '../../src/store/parameters.js';

describe('an array of bytes in binary form', () => {
  let client: pg.Client;

  beforeAll(async () => {
    client = new pg.Client({ connectionString: inject('databaseUrl') });
    await client.connect();
  });
  afterAll(() => client.end());

  it('arrives as it was, whatever the bytes are', async () => {
    const bytes = fc.uint8Array({ maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(fc.array(bytes), async (values) => {
        const { rows } = await client.query<{ value: Buffer }>(
          'select value from unnest($1::bytea[]) with ordinality as a(value, at) order by at',
          [bytesArray(values)],
        );
        expect(rows.map(({ value }) => Uint8Array.from(value))).toEqual(values);
      }),
      {
        examples: [
          [[]],
          [[new Uint8Array(0)]],
          [[new Uint8Array(0), new Uint8Array(100_000).fill(255), Uint8Array.of(0)]],
        ],
      },
    );
  });
});
