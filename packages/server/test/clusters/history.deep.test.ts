import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MoneyScene, transfer } from '../money/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

describe.runIf(process.env.CITUS_TEST_URL)('the history on a cluster', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(() => server?.stop());

  it('can be added to and in no way changed, of ledgers that are there', async () => {
    const scene = await MoneyScene.make(server.url, ['alice', 'bob']);
    await scene.issue('alice', 100);
    await scene.done([transfer('alice', 'bob', 30)]);
    const { url } = server.database;
    for (const attempt of [
      `update change set body = '{}'`,
      'update change set body = body',
      'delete from change',
      'truncate change',
      'update entry set available = available',
      'delete from entry',
      'truncate entry',
    ])
      await expect(runSql(url, attempt), attempt).rejects.toMatchObject({
        code: '23001',
        message: expect.stringMatching(/^history is append-only: (UPDATE|DELETE|TRUNCATE) of (change|entry) refused$/),
      });
    expect(await scene.balance('bob')).toEqual([30, 0]);
  });
});
