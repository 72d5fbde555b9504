import { beforeEach, describe, expect, it } from 'vitest';
import { newKey, newLedger, type TestClient } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { placeOf } from '../../../server/test/support/nodes.js';
import { ok, stored } from '../../../server/test/support/scene.js';
import { withOwnServer } from '../../../server/test/support/server.js';
import { closeSql, runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const server = withOwnServer();
const folder = withFolder();
let cli: Cli;

beforeEach(() => {
  cli = new Cli(folder.path, { DATABASE_URL: server.current.database.url });
});

const call = async (...args: string[]) => (await cli.done(['admin', ...args, '--json'])).json;

/** Dates changes of a ledger back, as if time had passed: those of one record, or all. */
async function age(ledger: string, hours: number, luid?: string): Promise<void> {
  const { url } = server.current.database;
  const [found] = await runSql<{ id: string }>(url, 'select id from ledger where handle = $1', [ledger]);
  const place = await placeOf(url, 'change', ledger);
  await runSql(
    place.url,
    `with quiet as (select set_config('session_replication_role', 'replica', true))
     update ${place.table} c set moment = c.moment - $3 * interval '1 hour' from quiet
     where c.ledger_id = $1 and ($2::text is null or c.luid = $2)`,
    [found!.id, luid ?? null, hours],
  );
  await closeSql(place.url);
}

/** Waits until all of a ledger is sealed. */
const sealed = ({ ledger }: TestClient) =>
  eventually(async () => {
    const { log } = await call('ledger', ledger!);
    expect(log.waiting).toBe(0);
    return log;
  });

describe('countersign admin ledgers', () => {
  it('lists those with most first, page by page, with what they store and do', async () => {
    const small = await newLedger(server.current.url);
    const large = await newLedger(server.current.url);
    const key = await stored(large, 'signer', { handle: 'boss', public: large.key.public, format: 'ed25519-raw' });
    for (let made = 0; made < 30; made += 1) await stored(large, 'wallet', { handle: `w-${made}` });
    await sealed(large);
    await sealed(small);
    const first = await call('ledgers', '--order', 'changes', '--limit', '1');
    expect(first).toMatchObject({ total: 2, page: 1, pages: 2 });
    const [line] = first.ledgers;
    const { size } = (await call('ledger', large.ledger!)).log;
    expect(line).toMatchObject({
      handle: large.ledger,
      made: expect.stringMatching(/^2.*Z$/),
      owners: [{ key: large.key.public, signers: ['boss'] }],
      records: { isMore: false },
      changes: { all: size, hour: size, day: size },
      quota: { bytes: null, isOwn: false },
      suspended: null,
      logStopped: null,
    });
    expect(line.records.count).toBeGreaterThan(30);
    expect(line.bytes).toBeGreaterThan(30 * 512);
    const second = await call('ledgers', '--order', 'bytes', '--limit', '1', '--page', '2');
    expect(second.ledgers.map(({ handle }: { handle: string }) => handle)).toEqual([small.ledger]);
    expect((await call('ledgers')).ledgers.map(({ handle }: { handle: string }) => handle)).toEqual([
      large.ledger,
      small.ledger,
    ]);
    // Of what is older than an hour, or a day.
    const { luid } = ok(await large.get('/wallets/w-0')).body;
    await age(large.ledger!, 2, key.luid);
    await age(large.ledger!, 2, luid);
    const last = ok(await large.get('/wallets/w-29')).body;
    const { ledgers } = await call('ledgers', '--order', 'changes');
    expect(ledgers[0].changes.day).toBe(size);
    await age(large.ledger!, 30, last.luid);
    expect((await call('ledgers', '--order', 'changes')).ledgers[0].changes).toEqual({ all: size, hour: 0, day: 0 });
  });

  it('finds who floods the server now, and who is full, whatever else was done or is stored', async () => {
    const old = await newLedger(server.current.url);
    const now = await newLedger(server.current.url);
    for (let made = 0; made < 20; made += 1) await stored(old, 'wallet', { handle: `w-${made}` });
    for (let made = 0; made < 5; made += 1) await stored(now, 'wallet', { handle: `w-${made}` });
    await sealed(old);
    await sealed(now);
    // All of it two hours ago.
    for (const ledger of await runSql<{ handle: string }>(server.current.database.url, 'select handle from ledger'))
      if (ledger.handle !== now.ledger) await age(ledger.handle, 2);
    const names = async (...args: string[]) => {
      const { ledgers, total } = await call('ledgers', ...args);
      return [ledgers.map(({ handle }: { handle: string }) => handle), total];
    };
    expect(await names('--order', 'hour')).toEqual([[now.ledger], 1]);
    expect((await names('--order', 'changes'))[0][0]).not.toBe(now.ledger);
    // One more of the other, which waits to be sealed or is.
    await stored(old, 'wallet', { handle: 'more' });
    expect(await names('--order', 'hour')).toEqual([[now.ledger, old.ledger], 2]);
    expect(await names('--order', 'hour', '--limit', '1', '--page', '2')).toEqual([[old.ledger], 2]);
    expect(await names('--order', 'hour', '--owner', old.key.public)).toEqual([[old.ledger], 1]);
    await call('quota', now.ledger!, '--bytes', '1KiB');
    await call('quota', old.ledger!, '--bytes', '1GiB');
    expect((await names('--order', 'full'))[0].slice(0, 2)).toEqual([now.ledger, old.ledger]);
    expect((await names('--order', 'bytes'))[0]).not.toEqual((await names('--order', 'full'))[0]);
    for (const one of [old, now]) await call('quota', one.ledger!, '--bytes', 'default');
  });

  it('counts the changes of an hour by the order of the log', async () => {
    const client = await newLedger(server.current.url);
    await sealed(client);
    await age(client.ledger!, 2);
    for (let made = 0; made < 5; made += 1) await stored(client, 'wallet', { handle: `w-${made}` });
    const { size } = await sealed(client);
    expect((await call('ledger', client.ledger!)).changes).toEqual({ all: size, hour: 5, day: size });
  });

  it('lists what one key owns, which may be many', async () => {
    const client = await newLedger(server.current.url);
    const other = await newLedger(server.current.url, { key: client.key });
    const owned = await call('ledgers', '--owner', client.key.public, '--limit', '1');
    expect(owned).toMatchObject({ total: 2, pages: 2, ledgers: [{ handle: other.ledger }] });
    await call('suspend', client.ledger!, '--reason', 'x');
    const { ledgers } = await call('ledgers', '--owner', client.key.public, '--suspended');
    expect(ledgers.map(({ handle }: { handle: string }) => handle)).toEqual([client.ledger]);
    await call('resume', client.ledger!);
    expect(await call('ledgers', '--owner', newKey().public)).toEqual({ ledgers: [], total: 0, page: 1, pages: 0 });
  });

  it('shows those alone that are suspended, and in a table for people', async () => {
    const client = await newLedger(server.current.url);
    await call('suspend', client.ledger!, '--reason', 'x');
    const { ledgers } = await call('ledgers', '--suspended');
    expect(ledgers).toMatchObject([{ handle: client.ledger, suspended: { level: 'writes', reason: 'x' } }]);
    const { out, err } = await cli.done(['admin', 'ledgers', '--suspended']);
    expect(out).toMatch(/^HANDLE +MADE +OWNERS +RECORDS +CHANGES +HOUR +DAY +BYTES +QUOTA +SUSPENDED\n/);
    expect(out).toMatch(/ default +writes\n$/);
    expect(err).toBe('1 of 1 ledgers, page 1 of 1.\n');
  });

  it.each([
    [['--limit', '0'], "--limit is a whole number from 1 to 1000, not '0'."],
    [['--limit', '1001'], "--limit is a whole number from 1 to 1000, not '1001'."],
    [['--page', 'x'], "--page is a whole number from 1 to 1000000, not 'x'."],
    [
      ['--order', 'size'],
      "Option '--order <by>' argument 'size' is invalid. Allowed choices are made, hour, changes, bytes, full.",
    ],
  ])('%j is a wrong call', async (args, told) => {
    const { code, out, err } = await cli.call(['admin', 'ledgers', ...args]);
    expect([code, out, err.split('\n')[0]]).toEqual([2, '', `✗ ${told}`]);
  });
});

describe('countersign admin ledger', () => {
  it('shows sizes by kind, the log, deliveries and intents', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'wallet', { handle: 'w' });
    await sealed(client);
    const view = await call('ledger', client.ledger!);
    expect(view).toMatchObject({
      kinds: { ledger: 1, wallet: 1 },
      log: { waiting: 0, lag: 0, stopped: null, sealed: expect.stringMatching(/^2.*Z$/) },
      deliveries: { waiting: 0, overdue: 0, aside: 0, failing: [] },
      intents: [],
      leader: null,
    });
    expect(view.lastChange).toBe(ok(await client.get('/wallets/w')).body.meta.moment);
    const { out } = await cli.done(['admin', 'ledger', view.luid]);
    expect(out).toMatch(/^Handle: +ledger-/);
    expect(out).toMatch(/\nSuspended: +no\n/);
    expect(out).toMatch(/\nRecords: +.*1 ledger.*, 1 wallet\n/);
    expect(out).toMatch(/\nIntents: +none under way\n/);
    const { code, err } = await cli.call(['admin', 'ledger', 'none']);
    expect([code, err]).toEqual([2, '✗ There is no ledger none in this database.\n']);
  });
});

describe('countersign admin quota', () => {
  it('sets what one ledger may store, and takes it back', async () => {
    const client = await newLedger(server.current.url);
    const { bytes } = await call('quota', client.ledger!);
    expect(bytes).toBeGreaterThan(1_000);
    expect(await call('quota', client.ledger!, '--bytes', '1KiB')).toMatchObject({
      handle: client.ledger,
      quota: { bytes: 1_024, isOwn: true },
    });
    const refused = await eventually(async () => {
      const answer = await client.create('/wallets', { handle: `w-${Math.random()}` });
      expect(answer.status).toBe(429);
      return answer;
    });
    expect(refused.body.data.detail).toMatch(/ and may store 1024\. /);
    expect((await cli.done(['admin', 'quota', client.ledger!])).out).toMatch(
      / stores .* KiB, and may store 1\.0 KiB\.\n$/,
    );
    expect((await call('quota', client.ledger!, '--bytes', 'default')).quota).toEqual({ bytes: null, isOwn: false });
    await eventually(async () => ok(await client.create('/wallets', { handle: 'again' })));
  });

  it.each([['10%'], ['off'], ['-1'], ['1GB'], ['9999999999999TiB'], ['']])('%s is no quota', async (bytes) => {
    const { code, err } = await cli.call(['admin', 'quota', 'none', '--bytes', bytes]);
    expect([code, err]).toEqual([2, `✗ A quota is bytes such as 10GiB, or default, not ${bytes}.\n`]);
  });
});
