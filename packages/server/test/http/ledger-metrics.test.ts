import { describe, expect, it } from 'vitest';
import { signed, type TestAnswer, TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';

const ACCESS = [{ action: 'any', record: 'any' }];

describe('the metrics of a ledger', () => {
  const server = withOwnServer({ measuredLedgers: ['mine', 'none'] });
  const valuesOf = async (name: string) => {
    const { registry } = server.current.server.metrics;
    const { values } = await registry.getSingleMetric(`countersign_ledger_${name}`)!.get();
    return values.map(({ labels, value, ...more }) => ({ labels, value, ...more }));
  };

  it('are those of ledgers that the operator names, and of no other', async () => {
    const founder = new TestClient(server.current.url);
    const made: TestAnswer[] = [];
    for (const handle of ['mine', 'other'])
      made.push(await founder.create('/ledgers', { handle, signer: 'system', access: ACCESS }));
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const mine = founder.in('mine');
    const byLuid = founder.in(made[0]!.body.luid);
    await founder.in('other').get('/wallets');
    expect((await mine.get('/wallets')).status).toBe(200);
    expect((await byLuid.get('/wallets')).status).toBe(200);
    expect((await byLuid.get('/wallets/none')).status).toBe(404);
    expect((await mine.call('POST', '/wallets', signed({ handle: 'w' }, mine.key))).status).toBe(201);
    await eventually(async () =>
      expect(await valuesOf('requests_total')).toEqual([
        { labels: { ledger: 'mine', outcome: 'done' }, value: 3 },
        { labels: { ledger: 'mine', outcome: 'refused' }, value: 1 },
      ]),
    );
    const counts = (await valuesOf('request_seconds')) as unknown as { metricName: string; value: number }[];
    expect(counts.find(({ metricName }) => metricName.endsWith('_count'))?.value).toBe(4);
    const [stored, ...others] = await valuesOf('stored_bytes');
    expect(stored).toEqual({ labels: { ledger: 'mine' }, value: expect.any(Number) });
    expect(stored!.value).toBeGreaterThan(1_000);
    expect(others).toEqual([]);
  });
});

describe('without a ledger that is named', () => {
  const server = withOwnServer();

  it('there are none', async () => {
    const founder = new TestClient(server.current.url);
    await founder.create('/ledgers', { handle: 'mine', signer: 'system', access: ACCESS });
    await founder.in('mine').get('/wallets');
    const { registry } = server.current.server.metrics;
    const { values } = await registry.getSingleMetric('countersign_ledger_requests_total')!.get();
    expect(values).toEqual([]);
  });
});
