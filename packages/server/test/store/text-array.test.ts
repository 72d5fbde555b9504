import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { arbitraryText } from '../../../protocol/test/support/arbitrary-text.js';
import { textArray } from '../../src/store/parameters.js';

describe('an array of texts in binary form', () => {
  let client: pg.Client;

  beforeAll(async () => {
    client = new pg.Client({ connectionString: inject('databaseUrl') });
    await client.connect();
  });
  afterAll(() => client.end());

  async function roundTrip(values: readonly string[]): Promise<string[]> {
    const { rows } = await client.query(
      'select value from unnest($1::text[]) with ordinality as a(value, at) order by at',
      [textArray(values)],
    );
    return rows.map((row) => row.value);
  }

  it.each([
    { of: 'none', values: [] },
    { of: 'one that is empty', values: [''] },
    { of: 'what text arrays escape', values: ['"', '\\', '{', '}', ',', ' ', 'NULL', '{"a":"\\u0001"}'] },
    { of: 'characters of one to four bytes', values: ['a', 'é', '€', '😀', '\u{10ffff}'] },
    { of: 'a long one between short ones', values: ['x', 'é'.repeat(500_000), 'y'] },
  ])('arrives as it was: $of', async ({ values }) => {
    expect(await roundTrip(values)).toEqual(values);
  });

  it('arrives as it was, whatever the texts are', async () => {
    const text = arbitraryText().filter((one) => !one.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (values) => {
        expect(await roundTrip(values)).toEqual(values);
      }),
    );
  });
});
