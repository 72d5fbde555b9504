import type { JsonObject } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordLimits } from '../../src/records/record-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, proofOver } from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { REFUSED, reportWell, verbOf, verifiedData, withBridges } from './bridge.js';
import { bridgedScene, entryOf, shortTrail } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { MoneyScene, transfer } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');
const { bank, other } = bridges;

beforeEach(() => {
  bank.reset();
  other.reset();
});
afterEach(() => checkBooks(server.current.database.url));

const scene = () => bridgedScene(server.current.url, bridges);

/** An intent whose credit the bank was asked for, and has said nothing of. */
async function asked(money: MoneyScene, claims = [transfer('alice', 'acc', 5)]) {
  bank.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
  const handle = await money.intend(claims);
  await bank.until(...claims.map(() => 'prepare credits'));
  const { hash } = await money.read(handle);
  return { handle, hash, call: bank.calls[0]!, entry: await entryOf(money, handle, 'credit') };
}

describe('a report', () => {
  it('acts at once, and is answered with the intent, which the ledger does not countersign', async () => {
    const money = await scene();
    const { handle, call, hash } = await asked(money);
    const before = (await money.read(handle)).meta.proofs.length;
    const { body } = await bank.say(call, { status: 'prepared', coreId: 'x', failId: 'y' });
    expect([body.hash, body.meta.status, body.meta.proofs.length]).toEqual([hash, 'pending', before + 1]);
    expect(body.meta.proofs.at(-1)).toMatchObject({ origin: 'key-pair', signer: 'bank', public: bank.key.public });
    await money.ends(handle, 'completed');
  });

  it('acts by any key that may add a proof, and by none that may not', async () => {
    const may = newKey();
    const mayNot = newKey();
    const key = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'any', record: 'any', signer: { public: bank.key.public } },
      { action: 'access', record: 'ledger' },
      { action: 'read', record: 'any' },
      { action: 'create', record: 'intent-proof', signer: { public: may.public } },
    ] as JsonObject[];
    const money = await MoneyScene.make(server.current.url, ['alice'], { access, key });
    await bank.join(money.client, 'bank');
    await money.add([{ handle: 'acc', bridge: 'bank' }]);
    await money.issue('alice', 10);
    const { handle, hash, entry } = await asked(money);
    const path = `/intents/${handle}/proofs`;
    const report = { handle: entry, status: 'prepared' };
    const refused = await money.client.as(mayNot).call('POST', path, proofOver(hash, mayNot, report));
    // One for each rule of another signer that would grant it, and two more.
    const errors = Array(5).fill('Cannot find required signer.');
    expectRefusal(refused, money.client, 'auth.forbidden', 'Missing permissions', { errors });
    expect(refused.status).toBe(403);
    expect((await money.read(handle)).meta.status).toBe('pending');
    const taken = await money.client.as(may).call('POST', path, proofOver(hash, may, report));
    expect(taken.status, taken.text).toBe(200);
    await money.ends(handle, 'completed');
  });

  it('is kept without effect when it comes again, too late, too early, or for another part', async () => {
    const money = await scene();
    const { handle, hash, call, entry } = await asked(money);
    for (const custom of [
      { handle: entry, status: 'committed' },
      { handle: entry, status: 'aborted' },
      { handle: 'cre_00000000000000000', status: 'prepared' },
      { handle: await entryOf(money, handle, 'debit'), status: 'failed' },
      { handle: entry, status: 'completed' },
      { handle: entry },
      { status: 'prepared' },
    ]) {
      await bank.tell(handle, hash, custom);
    }
    expect((await money.read(handle)).meta.status).toBe('pending');
    bank.report = () => undefined;
    await bank.say(call, { status: 'prepared' });
    await money.ends(handle, 'committed');
    await bank.say(call, { status: 'prepared', again: 1 });
    await bank.say(call, REFUSED);
    await bank.until('prepare credits', 'status', 'commit credits');
    expect((await money.read(handle)).meta.status).toBe('committed');
    await bank.say(call, { status: 'committed' });
    const { meta } = await money.ends(handle, 'completed');
    await bank.say(call, { status: 'committed', again: 2 });
    await bank.say(call, { ...REFUSED, again: 3 });
    const after = await money.read(handle);
    expect([after.meta.status, after.meta.proofs.length]).toEqual(['completed', meta.proofs.length + 2]);
    expect(await money.balance('acc')).toEqual([1_005, 0]);
  });

  it('does not move the part of another intent', async () => {
    const money = await scene();
    const one = await asked(money);
    bank.calls.length = 0;
    const two = await asked(money, [transfer('alice', 'acc2', 6)]);
    await bank.tell(one.handle, one.hash, { handle: two.entry, status: 'prepared' });
    expect((await money.read(one.handle)).meta.status).toBe('pending');
    // A proof over another intent is none of this one.
    const answer = await money.client.call(
      'POST',
      `/intents/${one.handle}/proofs`,
      proofOver(two.hash, bank.key, { handle: one.entry, status: 'prepared' }),
    );
    expect(answer.status).toBe(422);
    for (const { handle, hash, entry } of [one, two])
      await bank.tell(handle, hash, { handle: entry, status: 'prepared' });
    for (const { handle } of [one, two]) await money.ends(handle, 'completed');
  });

  it('of many parts at once loses none', async () => {
    const money = await scene();
    const claims = Array.from({ length: 12 }, (_, index) => transfer('alice', `account:${index}@acc`, index + 1));
    const { handle } = await asked(money, claims);
    bank.report = reportWell;
    await Promise.all(bank.calls.slice(0, 12).map((call) => bank.say(call, { status: 'prepared' })));
    await money.ends(handle, 'completed');
    expect(await money.balance('acc')).toEqual([1_078, 0]);
    const trail = await shortTrail(money, handle);
    expect(trail.filter((one) => one === 'bank committed')).toHaveLength(12);
  });
});

describe('the limit of proofs', () => {
  it('is one on what clients post: thirty bridged claims come to an end', async () => {
    const money = await scene();
    const claims = Array.from({ length: 30 }, (_, index) => transfer('alice', `account:${index}@acc`, 1));
    const handle = await money.intend(claims);
    const { meta } = await money.ends(handle, 'completed');
    expect(meta.proofs.length).toBeGreaterThan(recordLimits.proofs);
  });

  it('stands in the way of other proofs, and of no report that acts', async () => {
    const money = await scene();
    const { handle, hash, entry } = await asked(money);
    // Those of the creation, and ninety-nine more.
    for (let count = 1; count < 100; count += 1) await bank.tell(handle, hash, { note: count });
    const post = (custom: JsonObject) =>
      money.client.call('POST', `/intents/${handle}/proofs`, proofOver(hash, bank.key, custom));
    const refused = await post({ note: 100 });
    expectRefusal(refused, money.client, 'record.invalid', 'Record proofs limit of 100 exceeded');
    expect((await post({ handle: entry, status: 'committed' })).status).toBe(422);
    expect((await post({ handle: 'cre_00000000000000000', status: 'prepared' })).status).toBe(422);
    expect((await post({ handle: entry, status: 'prepared' })).status).toBe(200);
    await money.ends(handle, 'completed');
  });
});

describe('an intent with a manual commit', () => {
  const manual = { config: { commit: 'manual' } };

  it('holds when it is prepared, until a signer who may commits', async () => {
    const money = await scene();
    const handle = await money.intend([transfer('alice', 'acc', 5)], manual);
    await money.ends(handle, 'prepared');
    const record = await money.read(handle);
    expect(await money.balance('alice')).toEqual([995, 5]);
    expect((await money.client.prove(`/intents/${handle}`, record, { action: 'commit' })).status).toBe(200);
    await money.ends(handle, 'completed');
  });

  it('aborts by trail F from where it fails', async () => {
    const money = await scene();
    const handle = await money.intend([transfer('alice', 'acc', 5)], manual);
    const record = await money.ends(handle, 'prepared');
    expect((await money.client.prove(`/intents/${handle}`, record, { action: 'abort' })).status).toBe(200);
    await money.ends(handle, 'rejected');
    expect((await shortTrail(money, handle)).slice(4)).toEqual([
      ...['bank prepared', 'system prepared', 'bare', 'system failed', 'system aborted'],
      ...['core aborted debit', 'core aborted credit', 'bank aborted', 'system rejected'],
    ]);
    expect(await money.balance('alice')).toEqual([1_000, 0]);
  });

  it('refuses whoever may add proofs, and not decide', async () => {
    const key = newKey();
    const stranger = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'access', record: 'ledger' },
      { action: 'read', record: 'any' },
      { action: 'create', record: 'intent-proof' },
      { action: 'abort', record: 'intent' },
    ] as JsonObject[];
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob'], { access, key });
    await money.issue('alice', 10);
    const handle = await money.intend([transfer('alice', 'bob', 5)], manual);
    const record = await money.read(handle);
    expect(record.meta.status).toBe('prepared');
    const theirs = money.client.as(stranger);
    expect((await theirs.prove(`/intents/${handle}`, record, { note: 1 })).status).toBe(200);
    const refused = await theirs.prove(`/intents/${handle}`, record, { action: 'commit' });
    expect([refused.status, refused.body.data.reason]).toEqual([403, 'auth.forbidden']);
    expect((await money.read(handle)).meta.status).toBe('prepared');
    expect((await theirs.prove(`/intents/${handle}`, record, { action: 'abort' })).status).toBe(200);
    await money.ends(handle, 'rejected');
  });
});

describe('a hostile bridge', () => {
  it('moves no money by lies, and is believed for its own part alone', async () => {
    const money = await scene();
    bank.report = () => undefined;
    other.report = reportWell;
    const handle = await money.intend([transfer('far', 'acc', 5)]);
    await bank.until('prepare credits');
    const { hash } = await money.read(handle);
    const [debit, credit] = [await entryOf(money, handle, 'debit'), await entryOf(money, handle, 'credit')];
    // It says of all parts that all is done, in every order.
    for (const part of [debit, credit]) {
      for (const status of ['committed', 'aborted']) await bank.tell(handle, hash, { handle: part, status });
    }
    expect((await money.read(handle)).meta.status).toBe('pending');
    expect(await money.balance('acc')).toEqual([1_000, 0]);
    await bank.tell(handle, hash, { handle: credit, status: 'failed', reason: 'x'.repeat(1_000) });
    await money.ends(handle, 'aborted');
    await bank.tell(handle, hash, { handle: credit, status: 'prepared' });
    await bank.tell(handle, hash, { handle: credit, status: 'aborted' });
    await money.ends(handle, 'rejected');
    expect(await money.balance('far')).toEqual([1_000, 0]);
  });

  it('gets nothing signed that it could show elsewhere as another message', async () => {
    const money = await scene();
    const claim = { ...transfer('alice', 'acc', 1), custom: { signal: 'wallet-created', action: 'commit' } };
    const handle = await money.intend([claim]);
    await money.ends(handle, 'completed');
    for (const verb of ['prepare credits', 'commit credits']) {
      const data = verifiedData(money.client, bank.only(verb));
      expect(data.handle).toMatch(/^cre_/);
      expect(data).not.toHaveProperty('signal');
      expect('action' in data).toBe(verb !== 'prepare credits');
    }
  });
});

describe('a thread with bridges', () => {
  it('commits as one when the bridge of the forward intent has prepared', async () => {
    const money = await scene();
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
    const handle = await money.intend([transfer('alice', 'fwd', 5)]);
    const [call] = await bank.until('prepare credits');
    const first = await money.read(handle);
    expect([first.meta.status, first.meta.routed]).toEqual(['prepared', true]);
    const forward = call!.body.data.intent;
    expect(forward.data.origin).toBe(handle);
    expect(forward.meta.thread).toBe(first.meta.thread);
    expect(await money.balance('fwd')).toEqual([0, 0]);
    await bank.say(call!, { status: 'prepared' });
    await money.ends(handle, 'completed');
    const sent = await money.ends(forward.data.handle, 'completed');
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    const trail = sent.meta.proofs.map(({ signer = 'bare', custom }: any) => `${signer} ${custom.status}`);
    expect(trail).toEqual([
      ...['bare created', 'system pending', 'system pending', 'system resolved', 'system resolved'],
      ...['bank prepared', 'system prepared', 'system committed', 'system committed', 'bank committed'],
      'system completed',
    ]);
    expect([await money.balance('fwd'), await money.balance('acc')]).toEqual([
      [0, 0],
      [1_005, 0],
    ]);
    await bank.until('prepare credits', 'status', 'commit credits', 'status');
    expect(bank.only('commit credits').body.data.intent.meta).not.toHaveProperty('domains');
  });

  it('fails as one, for the same reason', async () => {
    const money = await scene();
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? REFUSED : reportWell(call));
    const handle = await money.intend([transfer('alice', 'fwd', 5)]);
    await money.ends(handle, 'rejected');
    const { intent } = bank.only('prepare credits').body.data;
    await money.ends(intent.data.handle, 'rejected');
    for (const one of [handle, intent.data.handle]) {
      const failed = (await money.trail(one)).filter(
        ([signer, { status }]) => signer === 'system' && status === 'failed',
      );
      expect(failed).toEqual([
        [
          'system',
          {
            detail: 'Bridge(s) failed to process intent: bank',
            reason: 'core.bridge-prepare-failed',
            status: 'failed',
          },
        ],
      ]);
    }
    expect(await money.balance('alice')).toEqual([1_000, 0]);
    await bank.until('prepare credits', 'abort credits', 'status');
    expect(bank.only('abort credits').body.data.intent.meta).not.toHaveProperty('domains');
  });
});
