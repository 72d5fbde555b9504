import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { arbitraryText } from '../../../protocol/test/support/arbitrary-text.js';
import { toArrayLiteral } from '../../src/store/arrays.js';

describe('an array as one text', () => {
  let client: pg.Client;

  beforeAll(async () => {
    client = new pg.Client({ connectionString: inject('databaseUrl') });
    await client.connect();
  });
  afterAll(() => client.end());

  async function roundTrip(type: string, values: readonly unknown[]): Promise<unknown[]> {
    const { rows } = await client.query(
      `select value from unnest($1::${type}[]) with ordinality as a(value, at) order by at`,
      [toArrayLiteral(values)],
    );
    return rows.map((row) => row.value);
  }

  it.each([
    { of: 'none', type: 'text', values: [] },
    { of: 'what arrays escape', type: 'text', values: ['"', '\\', '{', '}', ',', ' ', '', 'a b', '\n'] },
    { of: 'the word for a missing value', type: 'text', values: ['NULL', 'null', 'Null', 'nulls'] },
    { of: 'a missing value between others', type: 'text', values: ['a', null, 'b'] },
    { of: 'luids, codes, base64', type: 'text', values: ['$int.-ABC_1', 'a+b/c==', 'x.y'] },
    { of: 'numbers', type: 'int', values: [0, -1, 2_147_483_647, null] },
    { of: 'truths', type: 'boolean', values: [true, null, false] },
  ])('arrives as it was: $of', async ({ type, values }) => {
    expect(await roundTrip(type, values)).toEqual(values);
  });

  it('arrives as it was: moments and great numbers', async () => {
    const moment = '2026-11-23T03:04:05.678Z';
    expect(await roundTrip('timestamptz', [moment, null])).toEqual([new Date(moment), null]);
    const numbers = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    expect((await roundTrip('bigint', numbers)).map(Number)).toEqual(numbers);
  });

  it('arrives as it was, whatever the texts are', async () => {
    const text = fc.oneof(
      arbitraryText().filter((one) => !one.includes('\0')),
      fc.constantFrom('null', 'NULL', 'a', '$int.b'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
        expect(await roundTrip('text', values)).toEqual(values);
      }),
    );
  });

  it('passes on what is no array, and what the driver has to escape', () => {
    const escaped = ['a b'];
    const bytes = Buffer.from('x');
    expect([toArrayLiteral(escaped), toArrayLiteral(bytes), toArrayLiteral(null)]).toEqual([escaped, bytes, null]);
    expect(toArrayLiteral(['a', 1, null])).toBe('{a,1,NULL}');
  });
});
