import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { mayUseBridge } from '../../src/events/bridge-border.js';
import { outcome } from '../access-http/support.js';
import { holdDeliveries, loadQueued } from '../events/support.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { createIn, divided, effectData } from './scene.js';

const server = withOwnServer();
beforeAll(() => holdDeliveries(server.current));

/** Wallets in each place of a divided ledger: at large, in `sales`, below it, and in a domain beside it. */
const WALLETS = ['w', 'w@sales', 'w@bank'];

describe('an effect in a domain', () => {
  it('is told of records in the domain and below it, and of no others', async () => {
    const { founder, admin } = await divided(server.current.url);
    ok(await createIn(admin, '/effects', 'sales', effectData('of-sales')));
    await stored(founder, 'effect', effectData('of-eu@eu@sales'));
    ok(await createIn(founder, '/effects', 'eu@sales', effectData('of-eu')));
    ok(await founder.create('/effects', effectData('at-large')));
    for (const handle of WALLETS) await stored(founder, 'wallet', { handle });
    ok(await createIn(founder, '/wallets', 'eu@sales', { handle: 'w-eu' }));
    const told: Record<string, string[]> = {};
    for (const { effect, linked } of await loadQueued(server.current, founder)) {
      told[effect] = [...(told[effect] ?? []), String(linked)];
    }
    expect(told).toEqual({
      'of-sales': ['w@sales', 'w-eu'],
      // Two `@` join no domain (interface/domains#which-domain-a-record-is-in).
      'of-eu@eu@sales': ['w', 'w@sales', 'w@bank', 'w-eu'],
      'of-eu': ['w-eu'],
      'at-large': ['w', 'w@sales', 'w@bank', 'w-eu'],
    });
  });

  it('is told of what is done to a record by the domain of that record', async () => {
    const { founder, admin } = await divided(server.current.url);
    const subscribe = (signal: string) => createIn(admin, '/effects', 'sales', effectData(signal, { signal }));
    for (const signal of ['wallet-updated', 'wallet-proofs-added', 'wallet-dropped']) ok(await subscribe(signal));
    for (const handle of WALLETS) {
      const wallet = await stored(founder, 'wallet', { handle });
      const updated = ok(await founder.update(`/wallets/${handle}`, wallet, { handle, custom: { n: 1 } })).body;
      const proved = ok(await founder.prove(`/wallets/${handle}`, updated, {})).body;
      ok(await founder.drop(`/wallets/${handle}`, proved));
    }
    const told = await loadQueued(server.current, founder);
    const handles = told.map(({ data }) => data.parent?.data.handle ?? data.wallet);
    expect(handles).toEqual(Array(5).fill('w@sales'));
  });

  it('cannot be moved, nor made elsewhere, by who has rights in the domain only', async () => {
    const { founder, admin } = await divided(server.current.url);
    expect(outcome(await admin.create('/effects', effectData('e')))).toBe('403 Cannot create effect.');
    expect(outcome(await createIn(admin, '/effects', 'bank', effectData('e')))).toBe('403 Cannot create effect.');
    const effect = ok(await createIn(admin, '/effects', 'sales', effectData('e'))).body;
    const update = await admin.update('/effects/e', effect, effectData('e', { custom: { n: 1 } }));
    expect(ok(update).body.meta.domain).toBe('sales');
    await stored(founder, 'wallet', { handle: 'w@bank' });
    expect(await loadQueued(server.current, founder)).toEqual([]);
  });
});

describe('the bridges that an effect reaches', () => {
  const domain = (handle: string, parent?: string) => ({ handle, access: [], ...(parent ? { parent } : {}) });
  const all = [domain('sales'), domain('eu@sales', 'sales'), domain('us@sales', 'sales'), domain('bank')];
  const ledger = { domains: new Map(all.map((one) => [one.handle, one])) };

  it.each<[effect: string | undefined, bridge: string | undefined, may: boolean]>([
    [undefined, undefined, true],
    [undefined, 'sales', true],
    ['sales', undefined, true],
    ['sales', 'sales', true],
    ['sales', 'eu@sales', true],
    ['eu@sales', 'sales', true],
    ['eu@sales', 'us@sales', false],
    ['sales', 'bank', false],
    ['bank', 'eu@sales', false],
    ['gone', 'sales', false],
    ['gone', undefined, true],
  ])('from %s a bridge in %s: %s', (effect, bridge, may) => {
    expect(mayUseBridge(ledger, effect, bridge)).toBe(may);
  });

  it('may be named before they are there, and anywhere: nothing is refused', async () => {
    const { admin } = await divided(server.current.url);
    for (const [index, bridge] of ['later', 'post@bank', 'post@sales'].entries()) {
      const data: JsonObject = effectData(`e-${index}`, { action: { bridge } });
      ok(await createIn(admin, '/effects', 'sales', data));
    }
  });
});
