import { expect, it } from 'vitest';
import { checkBooks } from '../../../server/test/money/invariants.js';
import { MoneyScene, transfer } from '../../../server/test/money/scene.js';
import { signed } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { ok } from '../../../server/test/support/scene.js';
import { withTwoServers } from '../../../server/test/support/server.js';
import { Cli, withFolder } from '../support/cli.js';

const servers = withTwoServers();
const folder = withFolder();

/** Clients at a time, at each server. */
const CLIENTS = 8;

/** What a client has been told of one write. */
interface Told {
  readonly began: number;
  readonly status: number;
  readonly path: string;
}

it('a suspension refuses every write that begins after it, at each process, and loses none that was acknowledged before', async () => {
  const money = await MoneyScene.make(servers.current[0].url);
  await money.issue('alice', 1_000_000);
  const { ledger } = money.client;
  const cli = new Cli(folder.path, { DATABASE_URL: servers.databaseUrl });
  const told: Told[] = [];
  let isOver = false;
  const write = async (url: string, name: string) => {
    const client = money.client.at(url);
    for (let count = 0; !isOver; count += 1) {
      const handle = `${name}-${count}`;
      const isIntent = count % 2 === 0;
      const data = isIntent ? { handle, claims: [transfer('alice', 'bob', 1)] } : { handle };
      const path = isIntent ? '/intents' : '/wallets';
      const body = signed(data, client.key);
      const began = performance.now();
      const { status } = await client.call('POST', path, body);
      told.push({ began, status, path: `${path}/${handle}` });
    }
  };
  const clients = servers.current.flatMap(({ url }, server) =>
    Array.from({ length: CLIENTS }, (_, index) => write(url, `w-${server}-${index}`)),
  );
  /** Waits until so many writes that began after a time are answered, and gives them. */
  const answeredSince = (time: number) =>
    eventually(() => {
      const since = told.filter(({ began }) => began > time);
      expect(since.length).toBeGreaterThan(2 * CLIENTS);
      return since;
    });
  try {
    for (let round = 0; round < 5; round += 1) {
      await answeredSince(performance.now());
      await cli.done(['admin', 'suspend', ledger!, '--reason', 'x']);
      const refused = await answeredSince(performance.now());
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
      await cli.done(['admin', 'resume', ledger!]);
    }
    const taken = await answeredSince(performance.now());
    expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([201]));
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  expect(new Set(told.map(({ status }) => status))).toEqual(new Set([201, 403]));
  // What was acknowledged is there, and what was refused is not.
  for (const { status, path } of told) {
    const read = await money.client.get(path);
    expect([path, read.status]).toEqual([path, status === 201 ? 200 : 404]);
    if (path.startsWith('/intents') && status === 201) expect(ok(read).body.meta.status).toBe('completed');
  }
  await checkBooks(servers.databaseUrl);
}, 300_000);
