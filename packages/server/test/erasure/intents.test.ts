import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { activated, readBy, underPolicies } from '../access-http/support.js';
import { withReceiver } from '../deliveries/receiver.js';
import { auditLogs } from '../log/audit.js';
import { reportWell, withBridges } from '../money/bridge.js';
import { bridgedScene } from '../money/bridge-scene.js';
import { checkBooks } from '../money/invariants.js';
import { issue, limit, MoneyScene, transfer } from '../money/scene.js';
import { newKey, proofOver, signed, type TestAnswer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { startServer, withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { dump, erasureOf, MAY_ERASE, SECRET_NAME, tablesWith, tracesOf } from './support.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');
const receiver = withReceiver();

beforeEach(() => {
  bridges.bank.reset();
  bridges.other.reset();
});
afterEach(() => checkBooks(server.current.database.url));

const HANDLE = 'rent-of-zebra-7781';

function scene(wallets?: readonly (string | JsonObject)[]): Promise<MoneyScene> {
  return MoneyScene.make(server.current.url, wallets, { access: MAY_ERASE });
}

/** Pays under a handle, and with texts, that no other record has. */
async function pay(money: MoneyScene, claims: readonly JsonObject[], more: JsonObject = {}): Promise<JsonObject> {
  const named = claims.map((claim) => ({ ...claim, custom: { to: SECRET_NAME } }));
  const data = { handle: HANDLE, claims: named, custom: { note: SECRET_NAME }, ...more };
  const made = signed(data, money.client.key);
  expect((await money.client.call('POST', '/intents', made)).status).toBe(201);
  return made as JsonObject;
}

/** Erases an intent as it is now. */
async function erase({ client }: MoneyScene, handle: string): Promise<TestAnswer & { luid: string; path: string }> {
  const { luid } = ok(await client.get(`/intents/${handle}`)).body;
  const { total } = ok(await client.get(`/intents/${handle}/changes`)).body.page;
  const answer = await client.call('POST', `/intents/${luid}/erase`, erasureOf(luid, total, client.key));
  return { ...answer, luid, path: `/intents/${luid}` };
}

/** What a database knows of money, apart from intents. */
function books(): Promise<unknown> {
  const of = (table: string) => `(select jsonb_agg(t order by t::text) from ${table} t)`;
  const { url } = server.current.database;
  return runSql(url, `select ${['balance', 'entry', 'wallet_limit'].map(of).join(', ')}`);
}

describe('a final intent', () => {
  it('is forgotten in force, and what it moved stays', async () => {
    const { url, database } = server.current;
    const money = await scene();
    const { client } = money;
    for (const endpoint of [receiver.url, 'http://127.0.0.1:9/'])
      await stored(client, 'effect', {
        ...{ handle: `tells-${endpoint.length}`, signal: 'intent-updated', action: { schema: 'webhook', endpoint } },
      });
    await money.issue('alice', 100);
    const made = await pay(money, [transfer('alice', 'bob', 30), limit('bob', 'maxBalance', 500)]);
    await money.ends(HANDLE, 'completed');
    const before = await money.read(HANDLE);
    const said = proofOver(before.hash, client.key, { name: SECRET_NAME });
    ok(await client.call('POST', `/intents/${HANDLE}/proofs`, said));
    const changes = ok(await client.get(`/intents/${HANDLE}/changes?page.limit=100`)).body.data;
    await eventually(async () => {
      const waiting = `select count(*)::int as n from delivery where attempts = 0`;
      expect(await runSql(database.url, waiting)).toEqual([{ n: 0 }]);
    });
    const [was, traces] = [await books(), [...tracesOf(changes), HANDLE]];
    await runSql(database.url, 'analyze');
    expect(tablesWith(await dump(database.url), traces).length).toBeGreaterThan(20);

    const { body, luid, path } = ok(await erase(money, HANDLE)) as Awaited<ReturnType<typeof erase>>;
    expect(body).toMatchObject({
      data: { luid, change: changes.length },
      luid,
      meta: { status: 'erased', owners: [] },
    });
    await auditLogs(database.url);
    expect(tablesWith(await dump(database.url), traces)).toEqual([]);
    expect(await books()).toEqual(was);
    expect(await money.balance('alice')).toEqual([70, 0]);
    const again = await startServer({ database });
    try {
      for (const reader of [client, client.at(again.url)]) {
        expect(ok(await reader.get('/intents')).body.data.map(({ luid }: RecordEnvelope) => luid)).not.toContain(luid);
        for (const gone of [`/intents/${HANDLE}`, path, `${path}/changes/1`])
          expect((await reader.get(gone)).status).toBe(404);
        expect(ok(await reader.get(`${path}/changes`)).body.data).toMatchObject([{ meta: { action: 'erase' } }]);
        // It is not paid a second time, whatever is signed.
        for (const body of [made, signed(made.data as JsonObject, newKey())])
          expect(refusalOf(await reader.call('POST', '/intents', body))).toBe(
            `409 Intent with handle ${HANDLE} already exists.`,
          );
        expect((await reader.call('POST', `${path}/proofs`, said)).status).toBe(404);
        expect((await reader.call('POST', `${path}/erase`, erasureOf(luid, 1, client.key))).text).toBe(
          JSON.stringify(body),
        );
        expect(await MoneyScene.of(reader).balance('bob')).toEqual([30, 0]);
      }
      await money.ends(await money.intend([transfer('bob', 'alice', 30)]), 'completed');
      expect(url).not.toBe(again.url);
    } finally {
      await again.stop();
    }
  });

  it('may be one that was rejected', async () => {
    const money = await scene();
    await pay(money, [transfer('alice', 'bob', 30)]);
    const { status } = (await money.read(HANDLE)).meta;
    expect(status).toBe('rejected');
    ok(await erase(money, HANDLE));
    expect(tablesWith(await dump(server.current.database.url), [SECRET_NAME, HANDLE])).toEqual([]);
  });

  it('is erased by whom the ledger lets, and not by a rule of its own', async () => {
    const money = await MoneyScene.make(server.current.url);
    const access = [{ action: { $in: ['any', 'erase'] }, record: 'any' }];
    const handle = await money.done([issue('alice', 5)], { access });
    expect(refusalOf(await erase(money, handle))).toBe('403 Cannot erase intent.');
    expect((await money.read(handle)).meta.status).toBe('completed');
  });

  it.each([
    ['that its handle says', { handle: 'rent@evil' }, undefined],
    ['that its proof says', { handle: 'rent' }, { domain: 'evil' }],
  ])('is not erased by a rule of the domain %s: who pays picks it', async (_, name, custom) => {
    const money = await MoneyScene.make(server.current.url);
    const { client } = money;
    const data = { handle: 'evil', access: [{ action: { $in: ['any', 'erase'] }, record: 'any' }] };
    ok(await client.create('/domains', data));
    const made = await client.create('/intents', { ...name, claims: [issue('alice', 5)] }, custom);
    expect(made.body.meta).toMatchObject({ domain: 'evil' });
    await money.ends(name.handle, 'completed');
    expect(refusalOf(await erase(money, name.handle))).toBe('403 Cannot erase intent.');
    expect((await money.read(name.handle)).meta.status).toBe('completed');
  });

  it('is not erased by a policy of its domain, and by one of the ledger', async () => {
    const may = (action: string, record = 'intent') => ({ record, values: [{ action }] });
    const founder = await underPolicies(server.current.url, [{ handle: 'gate', ...may('access', 'ledger') }]);
    await stored(founder, 'domain', { handle: 'evil' });
    const [local, general] = [
      { handle: 'eraser@evil', ...may('erase') },
      { handle: 'general', ...may('erase') },
    ];
    expect((await activated(founder, local)).meta).toMatchObject({ domain: 'evil' });
    const claims = [{ action: 'issue', target: 'nobody', symbol: 'none', amount: 1 }];
    const { luid, meta } = await stored(founder, 'intent', { handle: 'i@evil', claims });
    expect(meta).toMatchObject({ domain: 'evil' });
    const { total } = ok(await readBy(founder, founder.key, `/intents/${luid}/changes`)).body.page;
    const body = () => erasureOf(luid, total, founder.key);
    expect(refusalOf(await founder.call('POST', `/intents/${luid}/erase`, body()))).toBe('403 Cannot erase intent.');
    await activated(founder, general);
    ok(await founder.call('POST', `/intents/${luid}/erase`, body()));
  });

  it('is erased by its luid only: its handle is forgotten with it', async () => {
    const money = await scene();
    const { client } = money;
    const handle = await money.done([issue('alice', 5)]);
    const { luid } = await money.read(handle);
    const { total } = ok(await client.get(`/intents/${handle}/changes`)).body.page;
    const body = erasureOf(luid, total, client.key);
    expect((await client.call('POST', `/intents/${handle}/erase`, body)).status).toBe(404);
    const erased = ok(await client.call('POST', `/intents/${luid}/erase`, body));
    expect((await client.call('POST', `/intents/${luid}/erase`, body)).text).toBe(erased.text);
  });

  it('leaves a name that is another in each ledger, so that nobody finds it out with a ledger of their own', async () => {
    for (const money of [await scene(), await scene()]) {
      await pay(money, [issue('alice', 5)]);
      await money.ends(HANDLE, 'completed');
      ok(await erase(money, HANDLE));
    }
    const kept = 'select ledger_id, digest from erased_proof';
    const names = await runSql<{ ledger_id: string; digest: string }>(server.current.database.url, kept);
    const [first, second] = [...new Set(names.map(({ ledger_id: ledger }) => ledger))]
      .slice(-2)
      .map((ledger) => names.flatMap((one) => (one.ledger_id === ledger ? [one.digest] : [])));
    // A name, and a used proof at least.
    expect(Math.min(first!.length, second!.length)).toBeGreaterThanOrEqual(2);
    expect(first!.filter((digest) => second!.includes(digest))).toEqual([]);
  });

  it('is erased as it was when that was signed', async () => {
    const money = await scene();
    const { client } = money;
    await pay(money, [issue('alice', 5)]);
    const { luid, hash } = await money.ends(HANDLE, 'completed');
    const { total } = ok(await client.get(`/intents/${HANDLE}/changes`)).body.page;
    ok(await client.call('POST', `/intents/${HANDLE}/proofs`, proofOver(hash, client.key, { late: true })));
    const late = await client.call('POST', `/intents/${luid}/erase`, erasureOf(luid, total, client.key));
    expect(refusalOf(late)).toBe(`422 The last change of the record is ${total + 1}`);
    expect((await money.read(HANDLE)).meta.status).toBe('completed');
    ok(await erase(money, HANDLE));
  });

  it('tells who could read it by a condition on its claims nothing any more', async () => {
    const founder = await underPolicies(server.current.url, [
      { handle: 'gate', record: 'ledger', values: [{ action: 'access' }] },
      { handle: 'eraser', record: 'intent', values: [{ action: 'erase' }] },
      { handle: 'payer', record: 'intent', values: [{ action: 'read', invoke: 'intent.canSpendEveryClaimWallet' }] },
    ]);
    const claims = [{ action: 'issue', target: 'nobody', symbol: 'none', amount: 1 }];
    const { luid } = await stored(founder, 'intent', { handle: 'i', claims });
    const path = `/intents/${luid}/changes`;
    const { total } = ok(await readBy(founder, newKey(), path)).body.page;
    ok(await founder.call('POST', `/intents/${luid}/erase`, erasureOf(luid, total, founder.key)));
    expect((await readBy(founder, newKey(), path)).status).toBe(403);
    expect((await readBy(founder, founder.key, path)).status).toBe(200);
  });
});

describe('an intent that is not final', () => {
  it('stays as it is: pending, prepared', async () => {
    const money = await bridgedScene(server.current.url, bridges, { access: MAY_ERASE });
    bridges.bank.report = () => undefined;
    await pay(money, [transfer('alice', 'acc', 30)]);
    await bridges.bank.until('prepare credits');
    const held = await money.intend([transfer('alice', 'bob', 1)], { config: { commit: 'manual' } });
    for (const [handle, status] of [
      [HANDLE, 'pending'],
      [held, 'prepared'],
    ] as const) {
      const before = await money.read(handle);
      expect(before.meta.status).toBe(status);
      const was = await books();
      expect(refusalOf(await erase(money, handle))).toBe(
        `422 Intent is ${status}. It can be erased once it is completed or rejected.`,
      );
      expect(await money.read(handle)).toEqual(before);
      expect(await books()).toEqual(was);
    }
    await bridges.bank.say(bridges.bank.only('prepare credits'), { status: 'prepared', coreId: 'tx-1' });
    const commit = await eventually(() => bridges.bank.only('commit credits'));
    expect(refusalOf(await erase(money, HANDLE))).toMatch(/^422 Intent is committed\./);
    await bridges.bank.say(commit, { status: 'committed' });
    await money.ends(HANDLE, 'completed');
    ok(await erase(money, HANDLE));
  });
});

describe('calls of bridges for an erased intent', () => {
  it('tell that there were some, and nothing of it', async () => {
    const { database } = server.current;
    const money = await bridgedScene(server.current.url, bridges, { access: MAY_ERASE });
    const { client } = money;
    await pay(money, [transfer('acc', 'far', 30)]);
    await money.ends(HANDLE, 'completed');
    const { luid } = await money.read(HANDLE);
    const entries = (await money.trail(HANDLE))
      .map(([, { handle }]) => String(handle))
      .filter((one) => /^(deb|cre)_/.test(one));
    expect(entries.length).toBeGreaterThan(0);
    const calls = `select purpose, status, entry, linked, attempts, bridge from delivery where strpos(event, $1) > 0`;
    const before = await runSql<{ attempts: number }>(database.url, calls, [luid]);
    expect(before.length).toBeGreaterThanOrEqual(4);
    const changes = ok(await client.get(`/intents/${HANDLE}/changes?page.limit=100`)).body.data;
    ok(await erase(money, HANDLE));
    expect(await runSql(database.url, calls, [luid])).toMatchObject(before.map(() => ({ status: 'erased' })));
    const left = `select distinct status, entry, linked from delivery where purpose is not null and linked is null`;
    expect(await runSql(database.url, left)).toEqual([{ status: 'erased', entry: null, linked: null }]);
    expect(tablesWith(await dump(database.url), [...tracesOf(changes), ...entries, HANDLE])).toEqual([]);
    const listed = ok(await client.get('/bridges/bank/events')).body.data;
    expect(listed.map(({ meta }: { meta: JsonObject }) => [meta.status, meta.output])).toEqual(
      listed.map(() => ['erased', null]),
    );
    const [{ data }] = listed;
    ok(await client.call('POST', '/bridges/bank/events/retry', signed({ handle: data.handle }, client.key, {})));
    expect(await runSql(database.url, left)).toEqual([{ status: 'erased', entry: null, linked: null }]);
    // A report that comes late finds nothing.
    const late = bridges.bank.say(bridges.bank.only('commit debits'), { status: 'committed' });
    await expect(late).rejects.toThrow('record.not-found');
  });
});

describe('intents of one thread', () => {
  const sends = { handle: 'sends', routes: [{ action: 'forward', target: 'far' }] };

  it('stay readable beside an erased one, and end', async () => {
    const money = await bridgedScene(server.current.url, bridges, { access: MAY_ERASE });
    await money.add([sends]);
    bridges.other.report = (call) => (call.path.endsWith('/commit') ? undefined : reportWell(call));
    await pay(money, [transfer('alice', 'sends', 30)]);
    await money.ends(HANDLE, 'completed');
    await eventually(() => bridges.other.only('commit credits'));
    const forward = bridges.other.only('commit credits').body.data.intent;
    expect((await money.read(forward.data.handle)).meta.status).toBe('committed');
    ok(await erase(money, HANDLE));
    // It names the first one by its handle, and is a record of its own.
    expect((await money.read(forward.data.handle)).data).toMatchObject({ origin: HANDLE });
    await bridges.other.say(bridges.other.only('commit credits'), { status: 'committed' });
    await money.ends(forward.data.handle, 'completed');
    expect(await money.balance('far')).toEqual([1_030, 0]);
    ok(await erase(money, forward.data.handle));
    expect(tablesWith(await dump(server.current.database.url), [SECRET_NAME, HANDLE, forward.hash])).toEqual([]);
  });
});

/** Status and detail of a refusal, without its ledger. */
function refusalOf({ status, body }: { status: number; body: { data: { detail: string } } }): string {
  return `${status} ${body.data.detail.replace(/ on ledger '.*'$/, '')}`;
}
