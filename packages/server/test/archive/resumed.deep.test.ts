import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBegun } from '../../src/archive/archive.js';
import { auditLogs } from '../log/audit.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { TestClient } from '../support/client.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { exported, imported, linesOf, ranked, verified } from './support.js';

const PASSPHRASE = 'correct horse';

/** Places, one as far from the other, at which an export is interrupted. */
const CUTS = process.env.LONG_TESTS ? 97 : 4;

const firstBytes = (text: string, length: number) => Buffer.from(text).subarray(0, length).toString();

let from: RunningServer;
let scene: MoneyScene;

beforeAll(async () => {
  from = await startServer();
  scene = await MoneyScene.make(from.url, ['alice', 'bob']);
  await scene.issue('alice', 100);
  await scene.done([transfer('alice', 'bob', 30)]);
  // More than an export writes at a time.
  await addLong(1);
});
afterAll(() => from.stop());

/** Adds symbols of a long text. */
async function addLong(count: number): Promise<void> {
  const text = 'x'.repeat(300_000);
  for (let at = 0; at < count; at += 1)
    await stored(scene.client, 'symbol', { handle: `s-${count}-${at}`, factor: 1, custom: { text } });
}

it('goes on with an export that was interrupted, wherever that was (export#export)', async () => {
  const ledger = scene.client.ledger!;
  const whole = await exported(from, ledger);
  const step = Math.floor(whole.length / CUTS);
  for (let cut = step; cut < whole.length - 200; cut += step) {
    const part = whole.slice(0, cut);
    const begun = await readBegun(linesOf(part.slice(0, part.lastIndexOf('\n') + 1)));
    const kept = firstBytes(part, begun!.length);
    expect(kept + (await exported(from, ledger, { begun: begun! }))).toBe(whole);
  }
  await expect(readBegun(linesOf(whole))).rejects.toThrow('The export was finished');
});

it('goes on with keys, by the same passphrase only', async () => {
  const ledger = scene.client.ledger!;
  const whole = await exported(from, ledger, { passphrase: PASSPHRASE });
  const begin = () => readBegun(linesOf(whole.slice(0, whole.indexOf('\n', 20_000) + 1)));
  const begun = (await begin())!;
  const rest = await exported(from, ledger, { begun, passphrase: PASSPHRASE });
  expect(verified(firstBytes(whole, begun.length) + rest).told).toEqual([]);
  await expect(exported(from, ledger, { begun: (await begin())! })).rejects.toThrow('with its passphrase only');
  await expect(exported(from, ledger, { begun: (await begin())!, passphrase: 'other' })).rejects.toThrow(
    'The passphrase is not the one',
  );
});

it('goes on where witnesses have cosigned meanwhile, with what was begun', async () => {
  const ledger = scene.client.ledger!;
  const whole = await exported(from, ledger);
  const begun = (await readBegun(linesOf(whole.slice(0, whole.indexOf('\n', 20_000) + 1))))!;
  const { url } = from.database;
  const [found] = await runSql<{ id: string }>(url, 'select id from ledger where handle = $1', [ledger]);
  const cosign = (text: string | null) =>
    runSql(url, 'update log set cosigned = $2 where ledger_id = $1', [found!.id, text]);
  await cosign(begun.header.log!.checkpoint);
  expect(firstBytes(whole, begun.length) + (await exported(from, ledger, { begun }))).toBe(whole);
  await cosign(null);
});

it('does not go on when the ledger has changed', async () => {
  const ledger = scene.client.ledger!;
  const whole = await exported(from, ledger);
  const begun = (await readBegun(linesOf(whole.slice(0, whole.indexOf('\n', 20_000) + 1))))!;
  const log = { ...begun.header.log!, generation: 2 };
  await expect(exported(from, ledger, { begun: { ...begun, header: { ...begun.header, log } } })).rejects.toThrow(
    'The ledger has changed since the export was begun',
  );
  await scene.add(['carol']);
  await expect(exported(from, ledger, { begun })).rejects.toThrow('The ledger has changed since the export was begun');
});

it('does not go on with a file that was altered (export#export)', async () => {
  const ledger = scene.client.ledger!;
  const whole = await exported(from, ledger, { passphrase: PASSPHRASE });
  const cut = whole.slice(0, whole.indexOf('{"line":"entry"'));
  for (const [from_, to] of [
    [/,"keyProven":true/, ''],
    [/"order":\d+/, '"order":9999999'],
    [/(?<="order":\d*)[0-8](?=[,}])/, '9'],
    [/"kind":"symbol"/, '"kind":"wallet"'],
    [/"amount":70/, '"amount":71'],
    [/"core":"[^/]/, '"core":"/'],
    [/(?<="leaf":\{"index":\d+,"salt":")[^a]/, 'a'],
    [/(?<="leaf":\{"index":)(?=\d)/, '1'],
  ] as const) {
    const altered = cut.replace(from_, to);
    expect(altered).not.toBe(cut);
    const begun = (await readBegun(linesOf(altered)))!;
    expect(begun.length).toBe(Buffer.byteLength(altered));
    await expect(exported(from, ledger, { begun, passphrase: PASSPHRASE })).rejects.toThrow(
      'The file does not match the ledger: it was altered, or the ledger was.',
    );
  }
  const begun = (await readBegun(linesOf(cut)))!;
  expect(verified(cut + (await exported(from, ledger, { begun, passphrase: PASSPHRASE }))).told).toEqual([]);
});

describe('an import in several pieces', () => {
  let text: string;

  beforeAll(async () => {
    await addLong(15);
    text = await exported(from, scene.client.ledger!, { passphrase: PASSPHRASE });
  });

  it('goes on with an import that was interrupted, and shows nothing before its end (export#import)', async () => {
    const into = await startServer();
    try {
      const count = text.split('\n').length;
      const there = new TestClient(into.url, scene.client.key, scene.client.ledger);
      let readings = 0;
      const interrupted = async function* () {
        readings += 1;
        let at = 0;
        for await (const line of linesOf(text)) {
          at += 1;
          // The second reading stores.
          if (readings === 2 && at > count - 10) throw new Error('killed');
          yield line;
        }
      };
      await expect(imported(into, text, { passphrase: PASSPHRASE, lines: interrupted })).rejects.toThrow('killed');
      const rows = () => runSql(into.database.url, 'select from change').then(({ length }) => length);
      const before = await rows();
      expect(before).toBeGreaterThan(0);
      expect((await there.get('/ledger')).status).toBe(404);
      expect((await there.get('/wallets/alice')).status).toBe(404);
      expect(await imported(into, text, { passphrase: PASSPHRASE })).toEqual([]);
      // Nothing was stored twice.
      expect(await rows()).toBe(JSON.parse(text.split('\n')[0]!).changes);
      expect((await there.get('/wallets/alice')).text).toBe((await scene.client.get('/wallets/alice')).text);
      expect(verified(await exported(into, scene.client.ledger!)).told).toEqual([]);
    } finally {
      await into.stop();
    }
  });

  it('stores nothing that was not verified, when the file is swapped between its readings (export#import)', async () => {
    const into = await startServer();
    try {
      const xs = /xxxxx(?=[^\n]*\n)/;
      const early = text.replace(xs, 'yxxxx');
      const at = text.lastIndexOf('x'.repeat(300_000));
      const late = text.slice(0, at) + text.slice(at).replace(xs, 'yxxxx');
      const swapped = (other: string) => {
        let readings = 0;
        return () => {
          readings += 1;
          return linesOf(readings === 1 ? text : other);
        };
      };
      const rows = () => runSql<{ body: string }>(into.database.url, 'select body from change');
      for (const [other, isBegun] of [
        [early, false],
        [late, true],
        [`${text.slice(0, text.indexOf('{"line":"balance"'))}`, true],
      ] as const) {
        expect(other).not.toBe(text);
        await expect(imported(into, text, { passphrase: PASSPHRASE, lines: swapped(other) })).rejects.toThrow(
          'The file has changed while it was read. The ledger was not made.',
        );
        const stored = await rows();
        expect(stored.length > 0).toBe(isBegun);
        expect(stored.filter(({ body }) => body.includes('yxxxx'))).toEqual([]);
      }
      expect(await imported(into, text, { passphrase: PASSPHRASE })).toEqual([]);
      const lines = (one: string) =>
        ranked(one.split('\n').filter((line) => /^\{"line":"(change|current|e)/.test(line)));
      const again = await exported(into, scene.client.ledger!);
      expect(lines(again).slice(0, -1)).toEqual(lines(text).slice(0, -1));
    } finally {
      await into.stop();
    }
  });

  it('begins anew where the one that was interrupted was to be read-only', async () => {
    const into = await startServer();
    try {
      let readings = 0;
      const interrupted = async function* () {
        readings += 1;
        const lines = text.split('\n').slice(0, -1);
        yield* readings === 2 ? lines.slice(0, -1) : lines;
        // The second reading stores: all but what stands at the end of the file.
        if (readings === 2) throw new Error('killed');
      };
      await expect(imported(into, text, { isReadOnly: true, lines: interrupted })).rejects.toThrow('killed');
      expect(await imported(into, text, { passphrase: PASSPHRASE })).toEqual([]);
      const there = new TestClient(into.url, scene.client.key, scene.client.ledger);
      expect((await there.create('/wallets', { handle: 'new' })).status).toBe(201);
      // What the first has left is gone.
      expect(await runSql(into.database.url, 'select distinct ledger_id from change')).toHaveLength(1);
      // A read-only ledger has no log.
      await auditLogs(into.database.url);
    } finally {
      await into.stop();
    }
  });
});
