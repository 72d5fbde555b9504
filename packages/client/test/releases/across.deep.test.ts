import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli, withFolder } from '../../../cli/test/support/cli.js';
import { type RunningServer, startServer, TEST_MASTER_KEY } from '../../../server/test/support/server.js';
import * as today from '../../src/index.js';
import { buildRelease, findLastRelease, loadFrom, type RunningRelease, startRelease } from './last-release.js';
import { type Client, enter, makeOwned, takeTurns, useMoney, useRecords, useTheRest } from './use-client.js';
import { EarlierCli, useCommand } from './use-command.js';

const commit = findLastRelease();
if (commit === undefined)
  console.warn('Clients and servers are not tried with those of the last release: the clone lacks it');

it.runIf(process.env.REQUIRE_LAST_RELEASE === '1')(
  'the clone has the last release, as REQUIRE_LAST_RELEASE asks',
  () => {
    expect(commit).toBeDefined();
  },
);

describe.skipIf(commit === undefined)('beside the last release', () => {
  const folder = withFolder();
  let release: string;
  let before: Client;
  let earlier: RunningRelease;
  let current: RunningServer;

  beforeAll(async () => {
    release = await buildRelease(commit!);
    before = await loadFrom<Client>(release, 'packages/client/dist/index.js');
    earlier = await startRelease(release);
    current = await startServer();
  }, 600_000);
  afterAll(async () => {
    await earlier?.stop();
    await current?.stop();
  });

  /** Pairs whose parts are of two releases; known only once they run. */
  const PAIRS: readonly [string, () => { client: Client; server: string }][] = [
    ['its client asks this server', () => ({ client: before, server: current.url })],
    ['this client asks its server', () => ({ client: today, server: earlier.url })],
  ];

  it('is another release', async () => {
    const builds = await Promise.all(
      [earlier, current].map(async ({ url }) => (await today.connect({ server: url }).information()).data.build),
    );
    expect(before.connect).not.toBe(today.connect);
    expect(builds[0]).not.toBe(builds[1]);
  });

  describe.each(PAIRS)('%s', (_, pair) => {
    it('for records, their histories and lists', async () => {
      const { client, server } = pair();
      await useRecords(client, await makeOwned(client, server));
    });
    it('for signers, tokens, effects and the log', async () => {
      const { client, server } = pair();
      await useTheRest(client, await makeOwned(client, server));
    });
    it('for money', async () => {
      const { client, server } = pair();
      await useMoney(client, await makeOwned(client, server));
    });
  });

  it('clients of both take turns at one ledger, of either server', async () => {
    for (const { url } of [earlier, current]) {
      await takeTurns(today, before, url);
      await takeTurns(before, today, url);
    }
  });

  const env = { COUNTERSIGN_PASSWORD: 'correct horse' };
  const homeOf = async (name: string) => {
    const home = join(folder.path, name);
    await mkdir(home);
    return home;
  };

  it('its command works with this server, and this one goes on in its home', { timeout: 240_000 }, async () => {
    const home = await homeOf('earlier');
    await useCommand(new EarlierCli(release, home, env), current.url, 'acme');
    const cli = new Cli(home, env);
    await cli.done(['wallet', 'create', 'later']);
    await cli.done(['verify']);
  });

  it('this command works with its server', { timeout: 240_000 }, async () => {
    await useCommand(new Cli(await homeOf('today'), env), earlier.url, 'acme');
  });

  it('an export by its command verifies, and is imported here', { timeout: 240_000 }, async () => {
    const owned = await makeOwned(before, earlier.url);
    await useRecords(before, owned);
    await useMoney(before, owned);
    const home = await homeOf('exported');
    const file = join(home, 'export');
    const settings = { ...env, MASTER_KEY: TEST_MASTER_KEY.toString('base64') };
    const there = new EarlierCli(release, home, { ...settings, DATABASE_URL: earlier.databaseUrl });
    await there.done(['export', owned.handle, '--with-keys', '--file', file]);
    const here = new Cli(home, { ...settings, DATABASE_URL: current.database.url });
    expect((await here.done(['verify', file, '--json'])).json).toMatchObject({ ok: true, findings: [] });
    await here.done(['import', file]);
    const [then, now] = [await enter(before, owned), await enter(today, { ...owned, server: current.url })];
    expect(await now.wallets.history('shop').all()).toEqual(await then.wallets.history('shop').all());
    await now.wallets.update('shop', (data) => ({ ...data, custom: { from: 'an export' } }));
    expect((await now.wallets.balances('till').all()).map(({ data }) => data.amount)).toEqual([3_650, 0]);
  });
});
