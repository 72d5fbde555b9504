import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../deliveries/process.js';
import { proofOver, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { withTwoServers } from '../support/server.js';
import { reportWell, verbOf, withBridges } from './bridge.js';
import { bridgedScene, entryOf } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { MoneyScene, transfer } from './scene.js';

const bridges = withBridges('bank', 'other');
const { bank, other } = bridges;

beforeEach(() => {
  bank.reset();
  other.reset();
});

describe('two processes', () => {
  const servers = withTwoServers({ deliveryAllowPrivate: true });
  afterEach(() => checkBooks(servers.databaseUrl));

  it('carry intents on together, whichever takes the create and whichever the reports', async () => {
    const [one, two] = servers.current;
    const money = await bridgedScene(one.url, bridges);
    const there = MoneyScene.of(new TestClient(two.url, money.client.key, money.client.ledger));
    // Reports go to the other process than the first intents.
    bank.report = () => undefined;
    other.report = () => undefined;
    const reported = new Set<string>();
    const reportAll = async () => {
      for (const call of [...bank.calls, ...other.calls]) {
        const { handle, intent } = call.body.data;
        if (verbOf(call) === 'status' || reported.has(call.path + handle)) continue;
        reported.add(call.path + handle);
        const proof = proofOver(intent.hash, bank.key, { handle, ...reportWell(call) });
        const client = reported.size % 2 === 0 ? money.client : there.client;
        const answer = await client.call('POST', `/intents/${intent.data.handle}/proofs`, proof);
        expect(answer.status, answer.text).toBe(200);
      }
    };
    const handles = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const client = index % 2 === 0 ? money.client : there.client;
        const claims = [transfer(index % 3 === 0 ? 'far' : 'alice', 'acc', index + 1)];
        const answer = await client.create('/intents', { handle: `both-${index}`, claims });
        expect(answer.status, answer.text).toBe(201);
        return `both-${index}`;
      }),
    );
    let isDone = false;
    const ended = Promise.all(handles.map((handle) => money.ends(handle, 'completed'))).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await reportAll();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await ended;
    expect(await money.balance('acc')).toEqual([1_078, 0]);
  });
});

describe('a process that is killed between the prepare and the report', () => {
  let database: TestDatabase;
  const running: ServerProcess[] = [];
  const start = async () => {
    const background = { lease: 2_000, beat: 500 };
    const server = await startServerProcess({ database: database.url, background });
    running.push(server);
    return server;
  };
  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await database.drop();
  });

  it('loses nothing: the next one carries the intent on', async () => {
    const first = await start();
    const money = await bridgedScene(first.url, bridges);
    bank.report = () => undefined;
    const handles = [
      await money.intend([transfer('alice', 'acc', 5)]),
      await money.intend([transfer('alice', 'acc', 6)]),
    ];
    await bank.until('prepare credits', 'prepare credits');
    const entries = await Promise.all(handles.map((handle) => entryOf(money, handle, 'credit')));
    const { hash } = await money.read(handles[0]!);
    // The report is answered, and the process gone, before anybody looks at it.
    const path = `/intents/${handles[0]}/proofs`;
    const report = { handle: entries[0]!, status: 'prepared' };
    const answer = await money.client.call('POST', path, proofOver(hash, bank.key, report));
    expect(answer.status).toBe(200);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await start();
    const client = new TestClient(second.url, money.client.key, money.client.ledger);
    const again = MoneyScene.of(client);
    bank.serves(client);
    bank.report = reportWell;
    await bank.tell(handles[1]!, (await again.read(handles[1]!)).hash, { handle: entries[1]!, status: 'prepared' });
    // Calls of the first one may be made again: the bridge hears the same twice.
    for (const handle of handles) {
      const { meta } = await again.read(handle);
      if (meta.status === 'committed') {
        const call = bank.calls.find(
          (one) => verbOf(one) === 'commit credits' && one.body.data.intent.data.handle === handle,
        );
        if (call) await bank.say(call, { status: 'committed' });
      }
      await again.ends(handle, 'completed');
    }
    expect(await again.balance('acc')).toEqual([1_011, 0]);
    await checkBooks(database.url);
  });
});
