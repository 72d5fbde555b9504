import type { JsonObject } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discardImport } from '../../src/archive/archive.js';
import { erase, SECRET_NAME } from '../erasure/support.js';
import { auditLogs } from '../log/audit.js';
import { issue, MoneyScene, transfer } from '../money/scene.js';
import { newKey, signed, type TestAnswer, TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { type ErasedLedger, erasedIntent, erasedLedger, paid } from './erased-ledger.js';
import { answersOf, changesIn } from './served.js';
import { differenceOf, exported, imported, linesIn, linesOf, ranked, verified, withPool } from './support.js';
import type { DraftLine } from './tree/draft.js';

const OTHER_KEY = Buffer.alloc(32, 9);
const THIRD_KEY = Buffer.alloc(32, 11);
const PASSPHRASE = 'a long passphrase';
const WITH_KEYS = { passphrase: PASSPHRASE };

let from: RunningServer;
let into: RunningServer;
let source: ErasedLedger;
let text: string;

beforeAll(async () => {
  from = await startServer();
  source = await erasedLedger(from.url);
  text = await exported(from, source.scene.client.ledger!, WITH_KEYS);
  into = await startServer({ masterKey: OTHER_KEY });
  expect(await imported(into, text, WITH_KEYS, OTHER_KEY)).toEqual([]);
}, 600_000);
afterAll(async () => {
  await from.stop();
  await into.stop();
});

const at = ({ url }: RunningServer) => new TestClient(url, source.scene.client.key, source.scene.client.ledger);
const parsed = (text: string): DraftLine[] => linesIn(text).map((line) => JSON.parse(line));
/** Lines that every deployment has alike. */
const comparable = (text: string) =>
  ranked(linesIn(text).filter((line) => !/^\{"line":"(header|end|secret|delivery)"/.test(line)));
const commitments = (text: string) =>
  new Map(parsed(text).flatMap((one) => (one.text === null ? [[`${one.luid}/${one.change}`, one.leaf]] : [])));
const refusalOf = ({ status, body }: TestAnswer) => `${status} ${body.data.detail}`;

/** What is answered of each erased record, but for what is signed for the moment. */
async function answersOfErased(client: TestClient): Promise<unknown[]> {
  const answers: unknown[] = [];
  const read = async (path: string) => {
    const { status, body } = await client.get(path);
    answers.push([path, status, body.data?.data ?? body.data, body.page, body.luid]);
  };
  for (const { path, changes } of [...source.intents, ...source.dropped]) {
    const count = typeof changes === 'number' ? changes : changes.length;
    await read(path);
    await read(`${path}/changes`);
    for (let change = 1; change <= count + 1; change += 1) await read(`${path}/changes/${change}`);
  }
  return answers;
}

describe('an import of an export with erased records (export#import)', () => {
  it('has them in its export, and nothing that they said', () => {
    const { told, summary } = verified(text);
    expect(told).toEqual([]);
    expect(summary.log).toMatchObject({ erased: source.changes, waiting: 0 });
    expect(text).not.toContain(SECRET_NAME);
    expect(source.dropped.length).toBeGreaterThan(7);
  });

  it('answers every read as the deployment that it came from, byte for byte', async () => {
    const changes = changesIn(text);
    const [ours, theirs] = [await answersOf(at(from), changes), await answersOf(at(into), changes)];
    expect([...ours.keys()].filter((path) => ours.get(path) !== theirs.get(path))).toEqual([]);
    const erased = await answersOfErased(at(from));
    expect(await answersOfErased(at(into))).toEqual(erased);
    for (const { path, changes } of source.intents) {
      const statement = `${path}/changes/${changes + 1}`;
      expect((await at(into).get(statement)).text).toBe((await at(from).get(statement)).text);
      expect((await at(into).get(statement)).body.meta.action).toBe('erase');
    }
  }, 600_000);

  it('answers the request that erased one as the first time', async () => {
    for (const { path, erasure, answer } of source.intents)
      expect((await at(into).call('POST', `${path}/erase`, erasure)).text).toBe(answer.text);
    for (const one of source.dropped) expect((await erase(at(into), one)).text).toBe((await erase(at(from), one)).text);
  });

  it('refuses the handles of erased intents, under whatever signature, and bodies that made what was erased', async () => {
    const before = await MoneyScene.of(at(into)).balance('bob');
    for (const { handle, made } of source.intents) {
      // Of one that the ledger has made, nobody has a body.
      const own = made.meta ? [made, signed(made.data as JsonObject, newKey())] : [];
      for (const body of [...own, signed({ handle, claims: [issue('bob', 1)] }, newKey())])
        expect(refusalOf(await at(into).call('POST', '/intents', body))).toBe(
          `409 Intent with handle ${handle} already exists.`,
        );
    }
    expect(await MoneyScene.of(at(into)).balance('bob')).toEqual(before);
    for (const { collection, made } of source.dropped.slice(1)) {
      const answers = [at(from), at(into)].map((client) => client.call('POST', collection, made));
      const [ours, theirs] = (await Promise.all(answers)).map(refusalOf);
      expect(theirs).toBe(ours);
      expect(theirs).toMatch(/^4(22|09) /);
    }
  });

  it('makes a log of its own, with what the first had of erased changes', async () => {
    await auditLogs(into.database.url);
    const { path, changes } = source.intents[0]!;
    expect((await at(into).get(`${path}/changes/1/inclusion`)).status).toBe(404);
    const wallet = await at(into).get('/wallets/alice/changes/1/inclusion');
    expect(wallet.status, wallet.text).toBe(200);
    expect(changes).toBeGreaterThan(1);
    const again = await exported(into, source.scene.client.ledger!, WITH_KEYS, OTHER_KEY);
    const [ours, theirs] = [commitments(text), commitments(again)];
    expect(ours.size).toBe(source.changes);
    for (const [place, { commitment }] of ours)
      expect(theirs.get(place)).toEqual({ commitment, index: expect.any(Number) });
  });

  it('is exported again as the same, and verifies', async () => {
    const again = await exported(into, source.scene.client.ledger!, WITH_KEYS, OTHER_KEY);
    const { told, summary } = verified(again);
    expect(told).toEqual([]);
    expect(summary.log).toMatchObject({ erased: source.changes, waiting: 0 });
    expect(summary.erasedIntents).toEqual(verified(text).summary.erasedIntents);
    expect(differenceOf(comparable(again), comparable(text))).toBeUndefined();
  });
});

describe('a ledger with erased records that was imported', () => {
  it('goes on: it erases more, and moves on to a third deployment with all that stays taken', async () => {
    const money = MoneyScene.of(at(into));
    const made = await paid(money, 'later', [transfer('alice', 'bob', 3)]);
    const later = await erasedIntent(money, made);
    const third = await startServer({ masterKey: THIRD_KEY });
    try {
      const moved = await exported(into, source.scene.client.ledger!, WITH_KEYS, OTHER_KEY);
      expect(await imported(third, moved, WITH_KEYS, THIRD_KEY)).toEqual([]);
      for (const { handle } of [later, ...source.intents]) {
        const body = signed({ handle, claims: [issue('bob', 1)] }, newKey());
        expect((await at(third).call('POST', '/intents', body)).status).toBe(409);
      }
      const free = signed({ handle: 'free', claims: [issue('bob', 1)] }, newKey());
      expect((await at(third).call('POST', '/intents', free)).status).toBe(201);
      await auditLogs(third.database.url);
      const own = parsed(await exported(third, source.scene.client.ledger!, WITH_KEYS, THIRD_KEY));
      const taken = (lines: DraftLine[]) => lines.filter(({ line }) => line === 'taken');
      expect(taken(own)).toEqual(taken(parsed(moved)));
      expect(taken(own).length).toBeGreaterThan(taken(parsed(text)).length);
    } finally {
      await third.stop();
    }
  });

  it('has the key of these names sealed, and of no other ledger', async () => {
    const other = await MoneyScene.make(from.url);
    const names = (handle: string) =>
      exported(from, handle, WITH_KEYS).then((one) =>
        parsed(one).flatMap(({ line, name }) => (line === 'secret' && name === 'veil' ? [line] : [])),
      );
    expect(await names(source.scene.client.ledger!)).toEqual(['secret']);
    expect(await names(other.client.ledger!)).toEqual([]);
    const plain = await exported(from, source.scene.client.ledger!);
    expect(parsed(plain).filter(({ line }) => line === 'taken' || line === 'secret')).toEqual([]);
    expect(verified(plain).told).toEqual([]);
  });
});

describe('an import of erased records without keys (export#read-only)', () => {
  it('has them, and is exported and imported again, though it has no log', async () => {
    const reader = await startServer({ masterKey: OTHER_KEY });
    try {
      const plain = await exported(from, source.scene.client.ledger!);
      expect(await imported(reader, plain, { isReadOnly: true }, OTHER_KEY)).toEqual([]);
      expect(await answersOfErased(at(reader))).toEqual(await answersOfErased(at(from)));
      const body = signed({ handle: 'rent', claims: [issue('bob', 1)] }, source.scene.client.key);
      expect((await at(reader).call('POST', '/intents', body)).status).toBe(422);
      const again = await exported(reader, source.scene.client.ledger!, {}, OTHER_KEY);
      const { told, summary } = verified(again);
      expect(told).toEqual([]);
      expect(summary.unchecked.join()).toContain(`${source.changes} changes whose text was erased before an import`);
      expect([...commitments(again).values()][0]).toEqual({ commitment: expect.any(String) });
      expect(differenceOf(withoutLeaves(again), withoutLeaves(plain))).toBeUndefined();
      await expect(exported(reader, source.scene.client.ledger!, WITH_KEYS, OTHER_KEY)).rejects.toThrow(
        'The ledger is read-only here, and has no private keys. Export it without --with-keys.',
      );
      const other = await createMigratedDatabase();
      expect(await imported({ database: other } as RunningServer, again, { isReadOnly: true })).toEqual([]);
      expect(await runSql(other.url, 'select count(*)::int as n from erased_leaf')).toEqual([{ n: source.changes }]);
      await other.drop();
    } finally {
      await reader.stop();
    }
  });
});

/** A read-only ledger has no log, and decides on no intent. */
const withoutLeaves = (text: string) =>
  comparable(text)
    .filter((line) => !line.startsWith('{"line":"open"'))
    .map((line) => line.replace(/,"leaf":\{"commit.*$/, '}'));

describe('between an import and its first server', () => {
  let database: TestDatabase;
  const there = () => ({ database }) as RunningServer;
  const opened = async (work: (running: RunningServer) => Promise<void>) => {
    const running = await startServer({ database, masterKey: OTHER_KEY });
    try {
      await work(running);
    } finally {
      await running.stop();
    }
  };
  const prepared = async () => {
    database = await createMigratedDatabase();
    await imported(there(), text, WITH_KEYS, OTHER_KEY);
  };

  it('is exported with what the first log had, and imported again with keys', async () => {
    await prepared();
    const early = await exported(there(), source.scene.client.ledger!, WITH_KEYS, OTHER_KEY);
    expect(parsed(early)[0].log).toBeUndefined();
    expect(verified(early).told).toEqual([]);
    const next = await startServer({ masterKey: THIRD_KEY });
    expect(await imported(next, early, WITH_KEYS, THIRD_KEY)).toEqual([]);
    await auditLogs(next.database.url);
    const later = await exported(next, source.scene.client.ledger!, WITH_KEYS, THIRD_KEY);
    expect(verified(later).told).toEqual([]);
    expect(differenceOf(comparable(later), comparable(text))).toBeUndefined();
    await next.stop();
    await database.drop();
  });

  it.each([
    ['altered', `update erased_leaf set leaf = 'B' || substr(leaf, 2)`],
    ['moved', 'update erased_leaf set change = change + 1000'],
    ['taken away', 'delete from erased_leaf'],
  ])('stops its log where that was %s in the database', async (_, alter) => {
    await prepared();
    await runSql(database.url, `alter table erased_leaf drop constraint erased_leaf_pkey; ${alter}`);
    if (alter.startsWith('update erased_leaf set leaf'))
      await expect(exported(there(), source.scene.client.ledger!, {}, OTHER_KEY)).rejects.toThrow(
        /^The leaf of change 1 of .* was altered in the database\.$/,
      );
    await opened(async () => {
      await eventually(async () => {
        const [row] = await runSql<{ stopped: string }>(database.url, 'select max(stopped) as stopped from log');
        expect(row!.stopped).toMatch(/^The leaf of change 1 of .*, which is erased, was altered\.$/);
      });
    });
    await database.drop();
  });
});

it('goes on with an import of erased records that was interrupted, and discards what it has stored (export#import)', async () => {
  const money = source.scene;
  // Enough that an import stores it in several pieces.
  const big = 'x'.repeat(300_000);
  for (let at = 0; at < 16; at += 1)
    ok(await money.client.create('/symbols', { handle: `s-${at}`, factor: 1, custom: { text: big } }));
  const large = await eventually(async () => {
    const made = await exported(from, money.client.ledger!, WITH_KEYS);
    expect(verified(made).summary.log!.waiting).toBe(0);
    return made;
  });
  const lines = linesIn(large);
  const target = await startServer({ masterKey: OTHER_KEY });
  try {
    const { url } = target.database;
    let readings = 0;
    const interrupted = async function* () {
      readings += 1;
      yield* readings === 2 ? lines.slice(0, -3) : lines;
      // The second reading stores: all but what stands at the end of the file.
      if (readings === 2) throw new Error('killed');
    };
    const call = { ...WITH_KEYS, lines: interrupted };
    await expect(imported(target, large, call, OTHER_KEY)).rejects.toThrow('killed');
    const stored = () => runSql<{ n: number }>(url, 'select count(*)::int as n from erased_leaf');
    expect((await stored())[0]!.n).toBeGreaterThan(0);
    await withPool(target, (pool) => discardImport(pool, parsed(large)[0].ledger.luid));
    for (const table of ['erased_leaf', 'erased_proof', 'change'])
      expect(await runSql(url, `select from ${table}`)).toEqual([]);
    readings = 0;
    await expect(imported(target, large, call, OTHER_KEY)).rejects.toThrow('killed');
    expect(await imported(target, large, { ...WITH_KEYS, lines: () => linesOf(large) }, OTHER_KEY)).toEqual([]);
    await auditLogs(url);
    const again = await exported(target, money.client.ledger!, WITH_KEYS, OTHER_KEY);
    expect(verified(again).told).toEqual([]);
    expect(differenceOf(comparable(again), comparable(large))).toBeUndefined();
    const body = signed({ handle: 'rent', claims: [issue('bob', 1)] }, newKey());
    expect((await at(target).call('POST', '/intents', body)).status).toBe(409);
  } finally {
    await target.stop();
  }
}, 600_000);
