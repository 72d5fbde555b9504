import type { Json } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { filterLimits } from '../../src/access/filter-limits.js';
import { jsonLimits } from '../../src/base/json-limits.js';
import { newLedger } from '../support/client.js';
import { effortOf } from '../support/effort.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';

/** `value` in that many arrays. */
function within(arrays: number, value: Json): Json {
  return arrays === 0 ? value : [within(arrays - 1, value)];
}

describe('what lists filter records by', () => {
  const server = withServer();

  it('takes no longer for arrays in arrays than for the same values side by side', async () => {
    const client = await newLedger(server.current.url);
    // Data is two levels down in a body, custom one more.
    const deepest = jsonLimits.depth - 4;
    const create = async (handle: string, a: Json) =>
      expect((await client.create('/wallets', { handle, custom: { a } })).status).toBe(201);
    expect(await effortOf(() => create('deep', within(deepest, 1)))).toBeLessThan(10_000);
    expect(await effortOf(() => create('w', within(20, Array(1_000).fill(1))))).toBeLessThan(10_000);
    const found = async (query: string) =>
      ok(await client.get(`/wallets?${query}`)).body.data.map(
        (record: { data: { handle: string } }) => record.data.handle,
      );
    expect(await found('data.custom.a=1')).toEqual(['w', 'deep']);
    expect(await found('data.custom.a.0.0=1')).toEqual(['w', 'deep']);
    expect(await found('data.custom.a.0=2')).toEqual([]);
  });

  it('does not repeat a long name for every value below it', async () => {
    const client = await newLedger(server.current.url);
    const values = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`m${index}`, 1]));
    const custom = { ['n'.repeat(500_000)]: values, near: 1 };
    const answer = await client.create('/wallets', { handle: 'w', custom });
    expect(answer.status).toBe(201);
    expect(ok(await client.get('/wallets?data.custom.near=1')).body.data).toHaveLength(1);
  });

  it('reaches as deep as a filter does, and no deeper', async () => {
    const client = await newLedger(server.current.url);
    const at = (depth: number): Json => (depth === 0 ? 1 : { m: at(depth - 1) });
    // The path begins with data and custom.
    const deepest = filterLimits.depth - 2;
    await client.create('/wallets', { handle: 'w', custom: at(deepest) as { m: Json } });
    const path = (depth: number) => `data.custom${'.m'.repeat(depth)}`;
    expect(ok(await client.get(`/wallets?${path(deepest)}=1`)).body.data).toHaveLength(1);
    await client.create('/wallets', { handle: 'v', custom: at(deepest + 1) as { m: Json } });
    expect((await client.get(`/wallets?${path(deepest + 1)}=1`)).status).toBe(400);
  });
});
