import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { isAgain, retry, untilWorkedOff } from '../events/retry-scene.js';
import { type DeliveryRow, holdDeliveries, loadRows, query, setDelivery } from '../events/support.js';
import { withBridge } from '../forward/bridge.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { bridgeData, createIn, type Divided, divided, effectData } from './scene.js';

const held = withOwnServer();
const live = withOwnServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeAll(() => holdDeliveries(held.current));

const BRIDGE = 'post@sales';
const EVENTS = `/bridges/${BRIDGE}/events`;
const SECRET = 'of the bank';
const LEADING: JsonObject = { action: { bridge: BRIDGE } };

/** A ledger whose domain `sales` has a bridge, which an effect in `bank` names. */
async function withStrangeEffect(url: string) {
  const scene = await divided(url);
  ok(await createIn(scene.admin, '/bridges', 'sales', bridgeData(BRIDGE)));
  const effect = ok(await createIn(scene.founder, '/effects', 'bank', effectData('e', LEADING))).body;
  return { ...scene, effect };
}

const attempted = { status: 'cancelled', attempts: 11, tries: 11, due: null, signed: new Date() };

/** What the administrator of `sales` is answered of a delivery. */
async function shownTo({ admin }: Divided, { handle }: DeliveryRow) {
  const list = ok(await admin.get(EVENTS, bearer(admin.key)));
  const { status } = await admin.get(`${EVENTS}/${handle}`, bearer(admin.key));
  const { status: retried } = await retry(admin, { handle }, `${EVENTS}/retry`);
  return { count: list.body.data.length, isDisclosed: list.text.includes(SECRET), status, retried };
}

const NOTHING = { count: 0, isDisclosed: false, status: 404, retried: 404 };

describe('a bridge in a domain', () => {
  it('shows no delivery of an effect beside the domain, after a drop of that effect either', async () => {
    const scene = await withStrangeEffect(held.current.url);
    const { founder, effect } = scene;
    await stored(founder, 'wallet', { handle: 'w@bank', custom: { hidden: SECRET } });
    const [row] = await loadRows(held.current, founder);
    await setDelivery(held.current, row!.handle, attempted);
    expect(await shownTo(scene, row!)).toEqual(NOTHING);
    ok(await founder.drop('/effects/e', effect));
    expect(await shownTo(scene, row!)).toEqual(NOTHING);
  });

  it('shows no delivery of an effect beside the domain that has led elsewhere since', async () => {
    const scene = await withStrangeEffect(held.current.url);
    const { founder, boss, effect } = scene;
    await stored(founder, 'wallet', { handle: 'w@bank', custom: { hidden: SECRET } });
    const [row] = await loadRows(held.current, founder);
    await setDelivery(held.current, row!.handle, attempted);
    ok(await founder.update('/effects/e', effect, effectData('e')));
    expect(await shownTo(scene, row!)).toEqual(NOTHING);
    expect(ok(await founder.get('/effects/e/events', bearer(boss))).text).toContain(SECRET);
  });

  it('retries deliveries of effects at large and of its own line of domains, and of no others', async () => {
    const { founder, admin } = await withStrangeEffect(held.current.url);
    ok(await createIn(founder, '/effects', 'eu@sales', effectData('below', LEADING)));
    ok(await createIn(admin, '/effects', 'sales', effectData('own', LEADING)));
    await stored(founder, 'effect', effectData('at-large', LEADING));
    for (const handle of ['w@bank', 'w@sales']) await stored(founder, 'wallet', { handle });
    ok(await createIn(founder, '/wallets', 'eu@sales', { handle: 'w-eu' }));
    for (const { handle } of await loadRows(held.current, founder)) await setDelivery(held.current, handle, attempted);
    expect((await retry(admin, { maxAge: 0 }, `${EVENTS}/retry`)).status).toBe(202);
    await untilWorkedOff(held.current, founder);
    const rows = await loadRows(held.current, founder);
    const told = (again: boolean) =>
      rows.filter((row) => isAgain(row) === again).map((row) => `${row.effect_handle} ${row.linked}`);
    expect(told(true).toSorted()).toEqual([
      'at-large w-eu',
      'at-large w@bank',
      'at-large w@sales',
      'below w-eu',
      'own w-eu',
      'own w@sales',
    ]);
    expect(told(false)).toEqual(['e w@bank']);
  });

  it('refuses to show a delivery whose domain was changed in the database', async () => {
    const { founder, admin } = await withStrangeEffect(held.current.url);
    await stored(founder, 'wallet', { handle: 'w@bank' });
    const [row] = await loadRows(held.current, founder);
    for (const domain of ['sales', null]) {
      await setDelivery(held.current, row!.handle, { ...attempted, effect_domain: domain });
      expect((await admin.get(EVENTS, bearer(admin.key))).status).toBe(500);
    }
  });
});

describe('a bridge at large', () => {
  it('shows deliveries of effects in every domain', async () => {
    const { founder, boss } = await divided(held.current.url);
    await stored(founder, 'bridge', bridgeData('post'));
    for (const domain of ['sales', 'bank']) {
      ok(await createIn(founder, '/effects', domain, effectData(`of-${domain}`, { action: { bridge: 'post' } })));
      await stored(founder, 'wallet', { handle: `w@${domain}` });
    }
    const { data } = ok(await founder.get('/bridges/post/events', bearer(boss))).body;
    expect(data.map((one: { data: JsonObject }) => one.data.effect)).toEqual(['of-bank', 'of-sales']);
  });

  it('shows no output of a delivery that was cancelled before its first attempt', async () => {
    const { founder, boss } = await divided(live.current.url);
    await stored(founder, 'bridge', bridgeData('post', bridge.url));
    const effect = await stored(founder, 'effect', effectData('e', { action: { bridge: 'post' } }));
    // It becomes due once its effect is gone.
    await holdDeliveries(live.current);
    await stored(founder, 'wallet', { handle: 'w', custom: { hidden: SECRET } });
    ok(await founder.drop('/effects/e', effect));
    await query(live.current, 'alter table delivery disable trigger hold');
    const [row] = await loadRows(live.current, founder);
    await setDelivery(live.current, row!.handle, { due: new Date() });
    await eventually(async () => {
      const answer = ok(await founder.get('/bridges/post/events', bearer(boss)));
      const [{ meta }] = answer.body.data;
      expect(meta).toMatchObject({ status: 'cancelled', replay: 0, output: null });
      expect(answer.text).not.toContain(SECRET);
    });
  });
});
