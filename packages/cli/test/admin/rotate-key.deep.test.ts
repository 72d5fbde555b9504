import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { keyCheck } from '../../../server/src/keys/master-key.js';
import { sealContext } from '../../../server/src/keys/seal.js';
import { ask, grant, oauthLedger } from '../../../server/test/oauth/scene.js';
import { expectList } from '../../../server/test/support/checks.js';
import { newLedger, signed, type TestClient } from '../../../server/test/support/client.js';
import { createMigratedDatabase } from '../../../server/test/support/database.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { ok, stored } from '../../../server/test/support/scene.js';
import { type RunningServer, startServer } from '../../../server/test/support/server.js';
import { runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();

/** Secrets that are planted, so that a kill comes in between. */
const SECRETS = 12_000;

const [former, next] = [randomBytes(32), randomBytes(32)];

/** Seals values of a ledger as its processes do. */
async function plantMany({ server, database }: RunningServer, client: TestClient): Promise<void> {
  const { luid } = ok(await client.get('/ledger')).body;
  const names = Array.from({ length: SECRETS }, (_, at) => `planted-${at}`);
  const sealed = names.map((name) => server.service.keys.seal(Buffer.from(name), sealContext(luid, luid, name)));
  await runSql(
    database.url,
    `insert into secret select l.id, l.luid, u.name, u.sealed
     from ledger l, unnest($2::text[], $3::bytea[]) as u (name, sealed) where l.luid = $1`,
    [luid, names, sealed],
  );
}

/** What doctor says of what is sealed. */
async function sealedKeys(cli: Cli): Promise<unknown> {
  const { json } = await cli.call(['admin', 'doctor', '--json']);
  return json.found.find(({ part }: { part: string }) => part === 'sealed keys');
}

it('the master key is replaced under writes, through kills, and the former one is not needed any more', async () => {
  const database = await createMigratedDatabase();
  const both = { database, masterKey: former, loadKeys: async () => [former, next] };
  const servers = [await startServer(both), await startServer(both)];
  const lacking = await startServer({ database, masterKey: former });
  const cli = new Cli(folder.path, {
    DATABASE_URL: database.url,
    MASTER_KEY: former.toString('base64'),
    MASTER_KEY_NEXT: next.toString('base64'),
  });
  const rotate = ['admin', 'rotate-key', '--yes', '--json'];
  const count = async (condition: string) => {
    const [row] = await runSql<{ count: number }>(database.url, `select count(*)::int as count from ${condition}`);
    return row!.count;
  };
  const { client: issuing, credentials } = await oauthLedger(servers[0]!.url);
  const ledgers = [issuing, await newLedger(servers[0]!.url)];
  await plantMany(servers[0]!, ledgers[1]!);

  const refused = await cli.spawn(rotate);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.err + refused.out).toContain('The next key is missing at');
  expect(await count('master_key')).toBe(1);
  await lacking.stop();

  let isOver = false;
  const write = async (url: string) => {
    while (!isOver) {
      const client = await newLedger(url);
      const wallet = signed({ handle: 'w' }, client.key);
      ok(await client.call('POST', '/wallets', wallet));
      ok(await ask(issuing.at(url), grant(credentials)));
      ledgers.push(client);
      // Each is looked at again at the end.
      await pause(200);
    }
  };
  const writing = servers.map(({ url }) => write(url));
  const kill = async (when: () => Promise<unknown>) => {
    const child = cli.start(rotate);
    await eventually(when);
    child.kill('SIGSTOP');
    // Another call has no part in it.
    expect(await cli.spawn(rotate)).toMatchObject({ code: 1 });
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  await kill(async () => expect(await count('master_key')).toBe(2));
  // Whoever starts now needs both.
  await expect(startServer({ database, masterKey: next })).rejects.toThrow('the former one is missing');
  await expect(startServer({ database, masterKey: former })).rejects.toThrow('the next one is missing');
  await kill(async () => expect(await count('secret where get_byte(sealed, 0) = 2')).toBeGreaterThan(1_000));
  expect(await count('secret where get_byte(sealed, 0) = 1')).toBeGreaterThan(0);
  expect(await sealedKeys(cli)).toMatchObject({
    isFine: false,
    text: expect.stringMatching(/ \d+ under master key 1, \d+ under master key 2$/),
  });

  const done = await cli.spawn(rotate);
  expect(done).toMatchObject({ code: 0 });
  expect(done.json).toMatchObject({ from: 1, to: 2, formerFile: null });
  isOver = true;
  await Promise.all(writing);
  expect(await count('secret where get_byte(sealed, 0) <> 2')).toBe(0);
  await Promise.all(servers.map((one) => one.stop()));

  await expect(startServer({ database, masterKey: former })).rejects.toThrow(
    'is not the one that this database was made',
  );
  const after = await startServer({ database, masterKey: next });
  for (const ledger of ledgers) {
    const client = ledger.at(after.url);
    await stored(client, 'wallet', { handle: 'after' });
    const wallets = await client.get('/wallets');
    expectList(wallets, client, wallets.body.page);
  }
  ok(await ask(issuing.at(after.url), grant(credentials)));
  const again = new Cli(folder.path, { DATABASE_URL: database.url, MASTER_KEY: next.toString('base64') });
  const under = expect.stringMatching(/; sealed are \d+ under master key 2$/);
  expect(await sealedKeys(again)).toMatchObject({ isFine: true, text: under });
  await after.stop();
  await database.drop();
}, 300_000);

it('a process that goes on with the former key is named, and keeps it valid', async () => {
  const database = await createMigratedDatabase();
  const first = await startServer({ database, masterKey: former });
  await first.stop();
  await runSql(
    database.url,
    `insert into process (name, host, build, keys, sealing, is_read_only, seen)
     values ('p1', 'h1', 'b1', array[$1], 1, false, clock_timestamp() + interval '1 hour')`,
    [keyCheck(next)],
  );
  const cli = new Cli(folder.path, {
    DATABASE_URL: database.url,
    MASTER_KEY: former.toString('base64'),
    MASTER_KEY_NEXT: next.toString('base64'),
  });
  const refused = await cli.call(['admin', 'rotate-key', '--yes']);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is in use at h1 (process p1, b1)')]);
  expect(await runSql(database.url, 'select from master_key where is_open')).toHaveLength(2);
  await database.drop();
}, 120_000);
