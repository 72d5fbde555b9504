import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventMembers } from '../../src/kinds/effects/paths.js';
import { findLastPlace, holdDeliveries, loadRaised, type Queued, subscribeToAll } from '../events/support.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { issue, limit, MoneyScene, transfer } from './scene.js';
import { saidOf } from './under-way.js';

const server = withOwnServer();

beforeAll(() => holdDeliveries(server.current));
afterEach(() => checkBooks(server.current.database.url));

const SIGNALS = ['intent-', 'balance-', 'wallet-limited'];

/** Has an intent settled among subscribers to all that intents raise. */
async function scene(...wallets: ConstructorParameters<typeof Array>) {
  const money = await MoneyScene.make(server.current.url, ['alice', 'bob', ...(wallets as string[])]);
  for (const signal of SIGNALS) await subscribeToAll(money.client, signal);
  const raised = async (work: () => Promise<unknown>) => {
    const place = await findLastPlace(server.current, money.client);
    await work();
    return loadRaised(server.current, money.client, place);
  };
  return { money, raised };
}

const of = (events: readonly Queued[], signal: string) => events.filter(({ plan }) => plan.signal === signal);

/** The newest proof of the new version and of the one before. */
const step = ({ data }: Queued) => [data.parent, data.intent].map(({ meta }) => saidOf(meta.proofs.at(-1)));

describe('what intents raise', () => {
  it('an issue: its creation, a proof for each version but the resolved one, and what it credits', async () => {
    const { money, raised } = await scene();
    const { events } = await raised(() => money.issue('alice', 7));
    expect(of(events, 'intent-created')).toHaveLength(1);
    const added = of(events, 'intent-proofs-added');
    expect(added.map(({ data }) => data.intent)).toEqual(added.map(() => 'i-1'));
    expect(added.map(({ data }) => data.proofs.map(saidOf))).toEqual([
      [{ status: 'pending', luid: expect.any(String) }],
      [{ status: 'prepared' }],
      [{ status: 'committed', detail: 'awaiting-clearance' }],
      [{ status: 'committed', detail: 'cleared', coreId: 'i-1' }],
      [{ status: 'completed' }],
    ]);
    expect(of(events, 'intent-updated')).toHaveLength(4);
    const [credit, ...more] = of(events, 'balance-received');
    expect(more).toEqual([]);
    expect(credit!.linked).toBe('alice');
    expect(Object.keys(credit!.data).sort()).toEqual(['amount', 'handle', 'intent', 'signal', 'symbol', 'wallet']);
    expect(Object.keys(eventMembers('balance-received')!).sort()).toEqual(Object.keys(credit!.data).sort());
    expect(credit!.data.amount).toBe(7);
    expect([credit!.data.wallet.data.handle, credit!.data.symbol.data.handle]).toEqual(['alice', 'usd']);
    const { meta } = credit!.data.intent;
    expect(meta).toMatchObject({ status: 'committed', routed: true });
    expect(saidOf(meta.proofs.at(-1))).toEqual({ status: 'committed', detail: 'awaiting-clearance' });
  });

  it('a transfer: four updates, each with the version before, and the clearance without signer', async () => {
    const { money, raised } = await scene();
    await money.issue('alice', 7);
    const { events } = await raised(() => money.done([transfer('alice', 'bob', 5)]));
    const updates = of(events, 'intent-updated');
    const pending = { status: 'resolved', wallet: 'bob' };
    const awaiting = { status: 'committed', detail: 'awaiting-clearance' };
    const cleared = { status: 'committed', detail: 'cleared', schema: 'credit' };
    expect(updates.map(step)).toMatchObject(
      [
        [pending, { status: 'prepared' }],
        [{ status: 'prepared' }, awaiting],
        [awaiting, cleared],
        [cleared, { status: 'completed' }],
      ].map(([before, after], index) => (index === 0 ? [expect.any(Object), after] : [before, after])),
    );
    expect(updates.map(({ data }) => [data.parent.meta.status, data.intent.meta.status])).toEqual([
      ['pending', 'prepared'],
      ['prepared', 'committed'],
      ['committed', 'committed'],
      ['committed', 'completed'],
    ]);
    for (const { data } of updates) expect(data.intent.meta.domains).toEqual([]);
    const bare = of(events, 'intent-proofs-added')[3]!.data.proofs[0];
    expect([bare.signer, bare.origin, bare.custom.detail]).toEqual([undefined, undefined, 'cleared']);
  });

  it('one event for each credit entry, and for each limit', async () => {
    const { money, raised } = await scene();
    await money.issue('alice', 7);
    const { events } = await raised(() =>
      money.done([
        transfer('alice', 'bob', 3),
        transfer('alice', 'bob', 4),
        limit('bob', 'maxBalance', 100),
        limit('alice', 'minBalance', -5),
      ]),
    );
    expect(of(events, 'balance-received').map(({ data, linked }) => [linked, data.amount])).toEqual([
      ['bob', 3],
      ['bob', 4],
    ]);
    const limited = of(events, 'wallet-limited');
    expect(limited.map(({ data, linked }) => [linked, data.metric, data.amount, data.symbol.data.handle])).toEqual([
      ['bob', 'maxBalance', 100, 'usd'],
      ['alice', 'minBalance', -5, 'usd'],
    ]);
    expect(Object.keys(limited[0]!.data).sort()).toEqual([
      'amount',
      'handle',
      'intent',
      'metric',
      'signal',
      'symbol',
      'wallet',
    ]);
    expect(Object.keys(eventMembers('wallet-limited')!).sort()).toEqual(Object.keys(limited[0]!.data).sort());
    expect(limited[0]!.data.intent.meta.status).toBe('committed');
  });

  it('a rejected one: failed, aborted, rejected, and no credit', async () => {
    const { money, raised } = await scene();
    const { events } = await raised(() => money.rejected([transfer('alice', 'bob', 1)]));
    expect(of(events, 'intent-updated').map(step)).toMatchObject([
      [{}, { status: 'failed' }],
      [{ status: 'failed' }, { status: 'aborted' }],
      [{ status: 'aborted' }, { status: 'rejected' }],
    ]);
    expect(of(events, 'balance-received')).toEqual([]);
  });

  it('a forward intent: its own creation, versions and credit', async () => {
    const money = await MoneyScene.make(server.current.url, [
      'bob',
      { handle: 'fwd', routes: [{ action: 'forward', target: 'bob' }] },
    ]);
    for (const signal of SIGNALS) await subscribeToAll(money.client, signal);
    const place = await findLastPlace(server.current, money.client);
    await money.done([issue('fwd', 2)]);
    const { events } = await loadRaised(server.current, money.client, place);
    const created = of(events, 'intent-created').map(({ data }) => data.intent.data);
    expect(created.map(({ origin }) => origin)).toEqual([undefined, 'i-1']);
    expect(of(events, 'balance-received').map(({ linked }) => linked)).toEqual(['fwd', 'bob']);
    const own = of(events, 'intent-proofs-added').filter(({ data }) => data.intent === created[1].handle);
    expect(own.map(({ data }) => data.proofs[0].custom.status)).toEqual([
      'pending',
      'prepared',
      'committed',
      'committed',
      'completed',
    ]);
  });

  it('a proof that is posted: the proof, and the version it makes', async () => {
    const { money, raised } = await scene();
    await money.issue('alice', 7);
    const record = await money.read('i-1');
    const { events } = await raised(async () => ok(await money.client.prove('/intents/i-1', record, { note: 'seen' })));
    expect(of(events, 'intent-proofs-added').map(({ data }) => data.proofs.map(saidOf))).toEqual([[{ note: 'seen' }]]);
    const [update, ...more] = of(events, 'intent-updated');
    expect(more).toEqual([]);
    expect(update!.data.intent.meta.proofs).toHaveLength(record.meta.proofs.length + 1);
    expect(update!.data.parent.meta.proofs).toHaveLength(record.meta.proofs.length);
  });
});
