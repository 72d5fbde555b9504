import type { JsonObject } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { query } from '../events/support.js';
import { newKey, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { MoneyScene, transfer } from './scene.js';
import { balanceOf, movedClock, settled, wake } from './under-way.js';

const clock = movedClock();
const server = withOwnServer({ runtime: clock, background: { retry: { first: 50, greatest: 200 } } });

afterEach(() => checkBooks(server.current.database.url));

/** A ledger where intents of strangers wait. */
async function makeScene(
  config: JsonObject = {},
): Promise<{ money: MoneyScene; wait(handle: string, moment?: string): Promise<void> }> {
  const key = newKey();
  const access = [
    { action: 'any', record: 'any', signer: { public: key.public } },
    { action: { $in: ['access', 'create', 'read', 'query'] }, record: 'any' },
  ];
  const money = await MoneyScene.make(server.current.url, ['alice', 'bob'], { access, key, config });
  await money.issue('alice', 10);
  const stranger = newKey();
  const wait = async (handle: string, moment?: string) => {
    const said = { status: 'created', moment: moment ?? new Date(clock.now()).toISOString() };
    const body = signed({ handle, claims: [transfer('alice', 'bob', 1)] }, stranger, said);
    ok(await money.client.call('POST', '/intents', body));
    expect((await money.read(handle)).meta.status).toBe('pending');
  };
  return { money, wait };
}

const status = async (money: MoneyScene, handle: string) => (await money.read(handle)).meta.status;

/** Lets the worker look, and waits until it has: another intent that it is to end says so. */
async function look({ money, wait }: Awaited<ReturnType<typeof makeScene>>): Promise<void> {
  const handle = `old-${Math.random()}`;
  await wait(handle, '2020-01-01T00:00:00.000Z');
  await wake(server.current);
  await settled(money, handle);
}

describe('an intent that waits', () => {
  it('expires after 60 minutes unless the ledger says otherwise', async () => {
    const scene = await makeScene();
    const { money, wait } = scene;
    await wait('one');
    clock.move(59 * 60_000);
    await look(scene);
    expect(await status(money, 'one')).toBe('pending');
    clock.move(61_000);
    await wake(server.current);
    expect(await settled(money, 'one')).toBe('rejected');
    expect((await money.trail('one')).slice(2)).toEqual([
      ['system', { detail: 'Intent one expired', reason: 'core.intent-expired', status: 'failed' }],
      ['system', { status: 'aborted' }],
      ['system', { status: 'rejected' }],
    ]);
    expect(await balanceOf(money, 'alice')).toEqual([10]);
    const { body } = await money.client.get('/intents/one/changes');
    expect(body.data).toHaveLength(5);
  });

  it('expires by the configuration, counted from the moment that its first proof says', async () => {
    const scene = await makeScene({ 'intent.expiryThresholdMinutes': 2 });
    const { money, wait } = scene;
    await wait('now');
    await wait('before', new Date(clock.now() - 110_000).toISOString());
    // One that says a later moment is no younger for it.
    await wait('after', new Date(clock.now() + 240_000).toISOString());
    clock.move(11_000);
    await wake(server.current);
    expect(await settled(money, 'before')).toBe('rejected');
    expect([await status(money, 'now'), await status(money, 'after')]).toEqual(['pending', 'pending']);
    clock.move(110_000);
    await wake(server.current);
    expect(await settled(money, 'now')).toBe('rejected');
    expect(await settled(money, 'after')).toBe('rejected');
  });

  it('is looked at, and left as it is, when nothing has happened to it', async () => {
    const scene = await makeScene();
    const { money, wait } = scene;
    await wait('one');
    const before = await money.read('one');
    // Nobody looks at what waits for its signer, until somebody asks for it.
    expect(await query(server.current, 'select version, due from open_intent')).toMatchObject([
      { version: 1, due: null },
    ]);
    await query(server.current, "update open_intent set due = '2020-01-01'");
    await wake(server.current);
    await eventually(async () => {
      expect(await query(server.current, 'select luid from open_intent where due is not null')).toEqual([]);
    });
    expect(await money.read('one')).toEqual(before);
  });

  it('does not keep others from expiring when it cannot be read', async () => {
    const scene = await makeScene({ 'intent.expiryThresholdMinutes': 1 });
    const { money, wait } = scene;
    await wait('spoilt');
    // More of them than the worker looks at in one go, all due before the others.
    await query(
      server.current,
      `insert into open_intent (ledger_id, luid, thread, version, due, stage, uses, state, mac)
       select o.ledger_id, o.luid || n, o.thread || n, 1, '2020-01-01', o.stage, o.uses, o.state, 'spoilt'
       from open_intent o join record r using (ledger_id, luid), generate_series(1, 150) n where r.handle = 'spoilt'`,
    );
    await wait('good');
    clock.move(61_000);
    await wake(server.current);
    expect(await settled(money, 'good')).toBe('rejected');
    const due = "select luid from open_intent where mac = 'spoilt' and due < '2021-01-01'";
    await eventually(async () => expect(await query(server.current, due)).toEqual([]));
    await query(server.current, "delete from open_intent where mac = 'spoilt'");
  });
});
