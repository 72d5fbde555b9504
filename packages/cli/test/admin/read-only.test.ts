import { beforeAll, expect, it } from 'vitest';
import { makeLedger } from '../../../client/test/support/ledger.js';
import { MoneyScene, transfer } from '../../../server/test/money/scene.js';
import { expectRefusal } from '../../../server/test/support/checks.js';
import { newLedger, OPEN, signed, TestClient } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { ok, stored } from '../../../server/test/support/scene.js';
import { startServer, withTwoServers } from '../../../server/test/support/server.js';
import { runSql } from '../../../server/test/support/sql.js';
import { bearer } from '../../../server/test/support/token.js';
import { Cli, withFolder } from '../support/cli.js';

const servers = withTwoServers();
const folder = withFolder();
let cli: Cli;
beforeAll(() => {
  cli = new Cli(folder.path, { DATABASE_URL: servers.databaseUrl });
});

const mode = (...args: string[]) => cli.call(['admin', 'read-only', ...args, '--json']);
const health = async (url: string, probe: string) =>
  fetch(url.replace('/v2', probe)).then(async (answer) => [answer.status, await answer.json()]);

it('countersign admin read-only has every process refuse writes, and go on with reads, until it is turned off', async () => {
  const [one, two] = servers.current;
  const money = await MoneyScene.make(one.url);
  await money.issue('alice', 100);
  const { client } = money;
  expect((await mode()).json).toEqual({ readOnly: null, before: null, unconfirmed: [] });
  const refused: number[] = [];
  let isOver = false;
  const write = async (url: string, name: string) => {
    for (let count = 0; !isOver; count += 1) {
      const { status } = await client.at(url).create('/wallets', { handle: `${name}-${count}` });
      if (status !== 201) refused.push(status);
    }
  };
  const writing = [one, two].flatMap(({ url }, at) => ['a', 'b', 'c'].map((name) => write(url, `${name}${at}`)));
  const on = await mode('on', '--reason', 'Maintenance.');
  expect(on).toMatchObject({ code: 0, json: { readOnly: { reason: 'Maintenance.' }, before: null, unconfirmed: [] } });
  const changes = async () =>
    (await runSql<{ count: number }>(servers.databaseUrl, 'select count(*)::int as count from change'))[0]!.count;
  // Those that were under way have ended: nothing is stored any more.
  const before = await changes();
  const since = refused.length;
  await eventually(() => expect(refused.length).toBeGreaterThan(since + 12));
  isOver = true;
  await Promise.all(writing);
  expect(new Set(refused)).toEqual(new Set([503]));
  expect(await changes()).toBe(before);
  const later = await startServer({ database: one.database });
  const detail = 'The operator has made the server read-only: Maintenance.';
  for (const { url } of [one, two, later]) {
    const at = client.at(url);
    const intent = signed(
      { handle: `i-${url}`.replaceAll(/\W/g, ''), claims: [transfer('alice', 'bob', 1)] },
      client.key,
    );
    for (const answer of [await at.create('/wallets', { handle: 'w' }), await at.call('POST', '/intents', intent)]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
      expectRefusal({ ...answer, status: 500 }, client, 'api.unexpected-error', detail);
    }
    const made = await new TestClient(url).create('/ledgers', { handle: 'other', signer: 'system', access: OPEN });
    expect([made.status, made.body.data.detail]).toEqual([503, detail]);
    ok(await at.get('/wallets/alice'));
    // A look at a database that is busy may have taken too long.
    await eventually(async () => {
      expect(await health(url, '/health')).toEqual([200, { status: 'UP', readOnly: on.json.readOnly }]);
      expect((await health(url, '/health/ready'))[0]).toBe(200);
    });
  }
  expect(await changes()).toBe(before);
  await later.stop();

  expect((await mode('off')).json).toMatchObject({ readOnly: null, before: on.json.readOnly });
  await eventually(async () => {
    for (const { url } of [one, two]) await newLedger(url);
  });
  await stored(client, 'wallet', { handle: 'w' });
  expect((await mode('maybe')).code).toBe(2);
  expect((await mode('on')).code).toBe(2);
});

it('in read-only mode the journal of requests goes on: secrets that are shown, and writes that are refused', async () => {
  const client = await newLedger(servers.current[0].url, { config: { 'request.journalingEnabled': true } });
  for (const handle of ['alice', 'app'])
    await stored(client, 'signer', { handle, format: 'ed25519-raw', public: client.key.public });
  const factor = { handle: 'one-time', signer: 'app', schema: 'otp', secret: '{{ secret.seed }}' };
  await stored(client, 'signer-factor', factor, { seed: 'JBSWY3DPEHPK3PXP' });
  const { ledger } = await makeLedger(servers.current[0].url);
  expect((await mode('on', '--reason', 'Maintenance.')).code).toBe(0);
  // It is signed, so nothing was done.
  await expect(ledger.wallets.create({ handle: 'w' })).rejects.toMatchObject({ status: 503, mayBeDone: false });
  ok(await client.get('/signers/app/factors/one-time?include=meta.secret', bearer(client.key)));
  expect((await client.create('/wallets', { handle: 'w' })).status).toBe(503);
  await eventually(async () => {
    const { body } = ok(await client.get('/system/requests', bearer(client.key)));
    expect(body.data.map(({ data }: { data: { action: string } }) => data.action)).toEqual([
      'create',
      'reveal',
      'create',
      'create',
      'create',
    ]);
  });
  expect((await mode('off')).code).toBe(0);
});
