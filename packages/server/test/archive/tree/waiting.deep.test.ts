import { afterAll, beforeAll, expect, it } from 'vitest';
import { MoneyScene } from '../../money/scene.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { exported, verified, withPool } from '../support.js';

let server: RunningServer;
let scene: MoneyScene;

beforeAll(async () => {
  server = await startServer();
  scene = await MoneyScene.make(server.url);
});
afterAll(() => server.stop());

const waiting = (text: string) => verified(text).summary.log?.waiting;

it('waits until a server has sealed what was stored before (export#export)', async () => {
  for (let round = 0; round < 5; round += 1) {
    await scene.issue('alice', 10);
    const text = await exported(server, scene.client.ledger!);
    expect(verified(text).told).toEqual([]);
    expect(waiting(text)).toBe(0);
  }
});

it('goes on after moments where nothing seals, and says what waits (export#export)', async () => {
  const stop = (why: string | null) =>
    withPool(server, (pool) =>
      pool.query('update log set stopped = $2 from ledger l where l.id = ledger_id and l.handle = $1', [
        scene.client.ledger,
        why,
      ]),
    );
  await stop('for this test');
  await scene.issue('bob', 10);
  const began = performance.now();
  const text = await exported(server, scene.client.ledger!);
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(verified(text).told).toEqual([]);
  expect(waiting(text)).toBeGreaterThan(0);
  expect(verified(text).summary.unchecked).toContain('Changes since the log was stopped, because for this test');
  await stop(null);
});

it('says whether the log is still being made of changes from before it (interface/log-verifying#what-an-export-holds)', async () => {
  const before = await exported(server, scene.client.ledger!);
  expect(JSON.parse(before.split('\n')[0]!).log).not.toHaveProperty('behind');
  const id = '(select id from ledger where handle = $1)';
  const run = (query: string) => withPool(server, (pool) => pool.query(query, [scene.client.ledger]));
  await run(`update log set stopped = 'for this test' where ledger_id = ${id}`);
  await run(`insert into log_backfill (ledger_id, luid, change) select ${id}, '', 0`);
  const { log } = JSON.parse((await exported(server, scene.client.ledger!)).split('\n')[0]!);
  expect(log).toMatchObject({ behind: true, stopped: 'for this test' });
});
