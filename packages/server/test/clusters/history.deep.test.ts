import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, withFolder } from '../../../cli/test/support/cli.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { moveShard } from '../support/nodes.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../support/server.js';
import { runSql } from '../support/sql.js';

describe.runIf(process.env.CITUS_TEST_URL)('the history on a cluster', () => {
  const folder = withFolder();
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

  it('cannot be changed of a ledger whose own row was deleted either', async () => {
    const scene = await MoneyScene.make(server.url, ['alice', 'bob']);
    await scene.issue('alice', 100);
    await scene.done([transfer('alice', 'bob', 30)]);
    const { url } = server.database;
    const [{ id }] = (await runSql<{ id: string }>(url, 'select id from ledger where handle = $1', [
      scene.client.ledger,
    ])) as [{ id: string }];
    const counts = () =>
      runSql(url, 'select (select count(*) from change) as changes, (select count(*) from entry) as entries');
    const before = await counts();
    for (const table of ['change', 'entry'])
      await expect(
        runSql(url, `delete from ledger where id = ${id}; delete from ${table} where ledger_id = ${id}`),
        table,
      ).rejects.toMatchObject({ code: '23001', message: `history is append-only: DELETE of ${table} refused` });
    expect(await counts()).toEqual(before);
  });

  it('is deleted of an import that is given up, also where Citus has moved its shard', async () => {
    const { url } = server.database;
    const [id, luid] = [987_654, '$ldg.AAAAAAAAAAAAAAAAA'];
    // What an import has stored that was killed.
    await runSql(url, 'insert into deployment (name, value) values ($1, $2)', [
      `import:${luid}`,
      JSON.stringify({ id, sha256: '', order: 1, isReadOnly: false }),
    ]);
    await runSql(
      url,
      `insert into change (ledger_id, luid, change, kind, action, moment) values ($1, '$wlt.1', 1, 'wallet', 'create', now())`,
      [id],
    );
    const [{ shard }] = (await runSql<{ shard: string }>(
      url,
      `select get_shard_id_for_distribution_column('change', $1::bigint) as shard`,
      [id],
    )) as [{ shard: string }];
    await moveShard(url, Number(shard));
    const cli = new Cli(folder.path, { DATABASE_URL: url, MASTER_KEY: TEST_MASTER_KEY.toString('base64') });
    // The triggers are on the moved shard as on the others.
    const { json: diagnoses } = await cli.call(['admin', 'doctor', '--json']);
    expect(diagnoses.found).toContainEqual(expect.objectContaining({ part: 'schema', isFine: true }));
    const { json } = await cli.done(['import', luid, '--discard', '--json']);
    expect(json).toEqual({ ledger: luid, rows: 1 });
    await expect(runSql(url, 'truncate change')).rejects.toMatchObject({ code: '23001' });
  });
});
