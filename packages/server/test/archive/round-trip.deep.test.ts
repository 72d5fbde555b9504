import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MoneyScene } from '../money/scene.js';
import { signed, TestClient } from '../support/client.js';
import { ok } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { everyKind, transfer } from './every-kind.js';
import { answersOf, changesIn, digestOf, type ExportedChange } from './served.js';
import { differenceOf, exported, imported, linesIn, ranked, verified, withPool } from './support.js';

/** In the long run more than ten thousand records. */
const ROUNDS = process.env.LONG_TESTS === undefined ? 1 : 280;

const OTHER_KEY = Buffer.alloc(32, 9);
const PASSPHRASE = 'a long passphrase, Größe 1';
const REUSED = 'A proof in the request was used for another record. Sign anew, with a custom.moment of its own.';

/** A ledger with all there is, its export, and the deployment that it was imported into. */
let from: RunningServer;
let into: RunningServer;
let scene: MoneyScene;
let text: string;
let changes: ExportedChange[];
/** The signed body of a symbol that was dropped, and whose handle is free. */
let made: JsonObject;

beforeAll(async () => {
  from = await startServer();
  into = await startServer({ masterKey: OTHER_KEY });
  scene = await timed('making', () => everyKind(from.url, ROUNDS));
  made = signed({ handle: 'once', factor: 1 }, scene.client.key);
  const once = ok(await scene.client.call('POST', '/symbols', made)).body as RecordEnvelope;
  ok(await scene.client.drop('/symbols/once', once));
  text = await timed('export', () => exported(from, scene.client.ledger!, { passphrase: PASSPHRASE }));
  changes = changesIn(text);
  const findings = await timed('import', () => imported(into, text, { passphrase: PASSPHRASE }, OTHER_KEY));
  expect(findings).toEqual([]);
}, 3_600_000);
afterAll(async () => {
  await from.stop();
  await into.stop();
});

let answers: Promise<Map<string, string>> | undefined;

/** Digests of what the first deployment answers to every read, asked once. */
function here(): Promise<Map<string, string>> {
  answers ??= timed('all reads here', () => answersOf(scene.client, changes));
  return answers;
}

/** Does a part of the work, and says in the long run how long it took. */
async function timed<T>(part: string, work: () => T | Promise<T>): Promise<T> {
  const before = performance.now();
  const done = await work();
  if (ROUNDS > 1) console.log(`${part}: ${Math.round(performance.now() - before)} ms`);
  return done;
}

const there = () => new TestClient(into.url, scene.client.key, scene.client.ledger);

describe('an export (export)', () => {
  it('verifies, and says what it looked at', async () => {
    const { told, summary } = await timed('verification', () => verified(text));
    if (ROUNDS > 1) {
      console.log(`${summary.records} records, ${summary.changes} changes, ${text.length >> 20} MiB`);
      expect(summary.records).toBeGreaterThan(10_000);
    }
    expect(told).toEqual([]);
    expect(summary.changes).toBe(changes.length);
    expect(summary.intents).toBeGreaterThan(8);
    expect(summary.balances).toBeGreaterThan(4);
    expect(summary.limits).toBe(2);
  });

  it('has every version byte for byte as it is served', async () => {
    const served = await here();
    const current = changes.filter(({ isCurrent }) => isCurrent);
    expect(current.filter(({ path, text }) => served.get(path) !== digestOf(text)).map(({ path }) => path)).toEqual([]);
  }, 3_600_000);

  it('holds no secret in the clear', async () => {
    const secrets = await withPool(from, async (pool) => {
      const { rows } = await pool.query<{ count: number }>(
        'select count(*) from secret s join ledger l on l.id = s.ledger_id where l.handle = $1',
        [scene.client.ledger],
      );
      return rows[0]!.count;
    });
    expect(linesIn(text).filter((line) => line.startsWith('{"line":"secret"'))).toHaveLength(secrets);
    expect(text.includes('the private key')).toBe(false);
  });

  it('is the same when it is made again, but for its moment', async () => {
    // The attempt of a delivery may come between the two; of many deliveries one always does.
    const isSettled = (line: string) => ROUNDS === 1 || !line.startsWith('{"line":"delivery"');
    const once = async () =>
      linesIn(await exported(from, scene.client.ledger!))
        .slice(1, -1)
        .filter(isSettled);
    // By tries rather than by time: an export of all of the long run takes most of a minute on a busy machine.
    let difference = differenceOf(await once(), await once());
    for (let tries = 1; tries < 5 && difference !== undefined; tries += 1)
      difference = differenceOf(await once(), await once());
    expect(difference).toBeUndefined();
  });

  it('is refused for a ledger that there is not', async () => {
    await expect(exported(from, 'nobody')).rejects.toThrow('There is no ledger nobody in this database.');
  });
});

describe('an import (export#import)', () => {
  it('answers every read as the deployment that it came from, byte for byte', async () => {
    const other = await timed('all reads there', () => answersOf(there(), changes));
    const ours = await here();
    expect([...ours.keys()].filter((path) => ours.get(path) !== other.get(path))).toEqual([]);
    expect(other.size).toBe(ours.size);
  }, 3_600_000);

  it('filters lists as the deployment that it came from', async () => {
    const { data } = (await scene.client.get('/wallets?page.limit=100')).body as {
      data: { data: { handle: string }; meta: { status: string; labels?: string[] } }[];
    };
    expect(data.length).toBeGreaterThan(2);
    for (const { data: wallet, meta } of data.slice(0, 5)) {
      const filters = [`data.handle=${wallet.handle}`, `meta.status=${meta.status}`];
      for (const filter of filters) {
        const here = await scene.client.get(`/wallets?${filter}&page.limit=100`);
        const other = await there().get(`/wallets?${filter}&page.limit=100`);
        expect(other.body.data).toEqual(here.body.data);
        expect(other.body.data.length).toBeGreaterThan(0);
      }
    }
    const custom = await withPool(into, async (pool) => {
      const { rows } = await pool.query<{ type: string }>('select distinct jsonb_typeof(document) as type from record');
      return rows;
    });
    expect(custom).toEqual([{ type: 'object' }]);
  });

  it('exports the same again', async () => {
    // Deliveries go on meanwhile.
    const rows = (one: string) => linesIn(one).filter((line) => !/^\{"line":"(header|end|secret|delivery)"/.test(line));
    const again = await exported(into, scene.client.ledger!, {}, OTHER_KEY);
    expect(verified(again).told).toEqual([]);
    expect(differenceOf(ranked(rows(again)), ranked(rows(text)))).toBeUndefined();
  });

  it('goes on as before: balances, limits, intents under way, handles', async () => {
    const moved = MoneySceneOf(there());
    const before = await scene.balance('alice');
    expect(await moved.balance('alice')).toEqual(before);
    expect((await there().create('/wallets', { handle: 'alice' })).status).toBe(409);
    const answer = await there().create('/intents', { handle: 'after', claims: [transfer('alice', 'bob', 10)] });
    expect(answer.status, answer.text).toBe(201);
    expect(await moved.balance('alice')).toEqual([before[0] - 10, before[1]]);
    const refused = await there().create('/intents', { handle: 'over', claims: [transfer('alice', 'bob', 5_000)] });
    expect(refused.status, refused.text).toBe(201);
    expect((await moved.read('over')).meta.status).toBe('rejected');
    const held = ((await there().get('/intents?meta.status=prepared')).body.data as { data: { handle: string } }[])[0]!;
    const { handle } = held.data;
    const intent = await moved.read(handle);
    expect((await there().prove(`/intents/${handle}`, intent, { action: 'commit' })).status).toBe(200);
    await moved.ends(handle, 'completed');
    expect(verified(await exported(into, scene.client.ledger!, {}, OTHER_KEY)).told).toEqual([]);
  });

  it('takes no proof that was used before, though the handle is free again', async () => {
    const refused = await there().call('POST', '/symbols', made);
    expect([refused.status, refused.body.data.detail]).toEqual([422, REUSED]);
    const original = await scene.client.call('POST', '/symbols', made);
    expect([refused.status, refused.body.data]).toEqual([original.status, original.body.data]);
    expect((await there().create('/symbols', { handle: 'once', factor: 1 })).status).toBe(201);
  });
});

function MoneySceneOf(client: TestClient): MoneyScene {
  return (scene.constructor as typeof MoneyScene).of(client);
}
