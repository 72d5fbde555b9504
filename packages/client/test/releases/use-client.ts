import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { eventually } from '../../../server/test/support/eventually.js';
import type * as Today from '../../src/index.js';

/** The client of a release. The last one has all of this. */
export type Client = typeof Today;
type Ledger = Today.Ledger;

/** A ledger that one key owns, and that strangers neither read nor write. */
export interface Owned {
  readonly server: string;
  readonly handle: string;
  readonly seed: Uint8Array;
  readonly systemKey: string;
}

/** Makes a ledger, whose reads need tokens. */
export async function makeOwned({ connect, fromSeed, newSeed, systemKeyOf }: Client, server: string): Promise<Owned> {
  const seed = newSeed();
  const signer = await fromSeed(seed);
  const handle = `ledger-${randomUUID()}`;
  const made = await connect({ server, signer }).ledgers.create({
    handle,
    access: [
      { action: 'any', record: 'any', signer: { public: signer.public } },
      { action: 'any', record: 'any', bearer: { $signer: { public: signer.public } } },
      { action: 'erase', record: 'any', signer: { public: signer.public } },
    ],
  });
  return { server, handle, seed, systemKey: systemKeyOf(made) };
}

/** The owner's client, which sends each request once: a refusal is not hidden by another attempt. */
export async function enter(
  { connect, fromSeed }: Client,
  { server, handle, seed, systemKey }: Owned,
  more: Partial<Today.ConnectOptions> = {},
): Promise<Ledger> {
  return connect({ server, ledger: handle, signer: await fromSeed(seed), systemKey, attempts: 1, ...more });
}

/** Records from their first version to their erasure, and what is refused. */
export async function useRecords(client: Client, owned: Owned): Promise<void> {
  const kept: Today.SignedRequest[] = [];
  const ledger = await enter(client, owned);
  const made = await ledger.wallets.create(
    { handle: 'shop', custom: { tier: 'silver' } },
    { onSigned: (request) => void kept.push(request) },
  );
  expect(await ledger.resend(kept[0]!)).toEqual(made);
  await ledger.wallets.update(made, { handle: 'shop', custom: { tier: 'gold' } });
  await ledger.wallets.update('shop', (data) => ({ ...data, custom: { ...data.custom, more: 1 } }));
  const signed = await ledger.wallets.sign('shop', { status: 'active', labels: { $push: ['vip'] } });
  expect(signed.meta).toMatchObject({ status: 'active', labels: ['vip'] });
  expect(await ledger.wallets.history('shop').all()).toHaveLength(4);
  expect((await ledger.wallets.change('shop', 1)).data).toEqual(made.data);
  expect((await ledger.wallets.check('shop', 'update')).length).toBeGreaterThan(0);

  for (const handle of ['a', 'b', 'c']) await ledger.wallets.create({ handle, custom: { tier: 'gold' } });
  const gold = await ledger.wallets.list({ filter: { 'data.custom.tier': 'gold' }, limit: 2 }).all();
  expect(gold.map(({ data }) => data.handle)).toEqual(['c', 'b', 'a', 'shop']);

  await ledger.wallets.drop('a', { confirm: true });
  expect((await ledger.wallets.erase(gold[2]!.luid, 'asked')).meta.status).toBe('erased');
  const twice = await ledger.wallets.create({ handle: 'shop' }).catch((error: unknown) => error);
  expect(twice).toMatchObject({ reason: 'record.duplicated', isSigned: true, status: 409 });
  expect(client.isRefusal(twice, 'record.duplicated')).toBe(true);
  await expect(ledger.wallets.get('none')).rejects.toMatchObject({ reason: 'record.not-found', isSigned: true });
  await expect((await enter(client, owned, { token: false })).wallets.list().all()).rejects.toMatchObject({
    reason: 'auth.unauthorized',
  });
}

/** Other kinds, the tokens of either sort, the log, and a delivery that fails. */
export async function useTheRest(client: Client, owned: Owned): Promise<void> {
  const ledger = await enter(client, owned);
  const ada = await client.fromSeed(client.newSeed());
  await ledger.signers.create({ handle: 'ada', public: ada.public, format: 'ed25519-raw' }, { cosigners: [ada] });
  await ledger.circles.create({ handle: 'tellers' });
  await ledger.circles.addSigner('tellers', 'ada');
  expect(await ledger.circles.signers('tellers').list().all()).toHaveLength(1);
  const factors = ledger.signers.factors('ada');
  expect((await factors.create({ handle: 'app', schema: 'oauth-client-credentials' })).data).toHaveProperty('clientId');
  await ledger.domains.create({ handle: 'eu' });
  const properties = { custom: { required: ['day'] } };
  await ledger.schemas.create({
    ...{ handle: 'daily', record: 'report', format: 'json-schema' },
    schema: { type: 'object', properties },
  });
  await ledger.reports.create({ handle: 'r-1', schema: 'daily', custom: { day: 1 } });
  await expect(ledger.reports.create({ handle: 'r-2', schema: 'daily', custom: {} })).rejects.toMatchObject({
    reason: 'record.schema-invalid',
  });

  const bound = await enter(client, owned, { token: { isBound: true, onWrites: true } });
  await bound.wallets.create({ handle: 'bound' });
  expect((await bound.wallets.list({ filter: { 'data.handle': 'bound' } }).all()).length).toBe(1);

  const action = { schema: 'webhook', endpoint: 'http://127.0.0.1:9/x' } as never;
  await ledger.effects.create({ handle: 'hook', signal: 'wallet-created', action });
  const wallet = await ledger.wallets.create({ handle: 'told' });
  const event = await ledger.effects.events('hook').first();
  expect((await ledger.effects.event('hook', event?.data.handle ?? '')).data).toMatchObject({ linked: 'told' });

  await eventually(() => ledger.wallets.inclusion(wallet.luid, 1));
  expect(await ledger.record.log()).toMatchObject({ data: { size: expect.any(Number) } });
  expect((await ledger.record.history().all()).length).toBeGreaterThan(0);
  expect((await ledger.information()).data.status).toBe('UP');
}

/** Money that moves, waits for a decision, and is refused. */
export async function useMoney(client: Client, owned: Owned): Promise<void> {
  const ledger = await enter(client, owned);
  const claim = (more: object) => ({ symbol: 'usd', ...more }) as never;
  await ledger.symbols.create({ handle: 'usd', factor: 100 });
  for (const handle of ['till', 'kiosk']) await ledger.wallets.create({ handle });
  const settle = async (handle: string, more: object, config?: object) => {
    const intent = await ledger.intents.create({ handle, claims: [claim(more)], ...(config && { config }) } as never);
    if (config === undefined) return (await ledger.intents.settled(intent)).meta.status;
    await eventually(async () => expect((await ledger.intents.get(handle)).meta.status).toBe('prepared'));
    return 'prepared';
  };
  const transfer = (amount: number) => ({ action: 'transfer', source: 'till', target: 'kiosk', amount });
  expect(await settle('opening', { action: 'issue', target: 'till', amount: 5_000 })).toBe('completed');
  expect(await settle('limit', { action: 'limit', wallet: 'till', metric: 'minBalance', amount: -100 })).toBe(
    'completed',
  );
  expect(await settle('sale', transfer(1_250))).toBe('completed');
  expect(await settle('too-much', transfer(9_999_999))).toBe('rejected');
  await settle('held-1', transfer(100), { commit: 'manual' });
  await ledger.intents.commit('held-1');
  expect((await ledger.intents.settled('held-1')).meta.status).toBe('completed');
  await settle('held-2', transfer(100), { commit: 'manual' });
  await ledger.intents.abort('held-2');
  expect((await ledger.intents.settled('held-2')).meta.status).toBe('rejected');
  const balances = await ledger.wallets.balances('till').all();
  expect(balances.map(({ data }) => `${data.schema} ${data.amount}`)).toEqual(['available 3650', 'reserved 0']);
  expect(await ledger.wallets.limits('till').all()).toHaveLength(1);
  expect((await ledger.intents.history('sale').all()).length).toBeGreaterThan(3);
}

/** Each of two clients goes on with what the other has written. */
export async function takeTurns(one: Client, other: Client, server: string): Promise<void> {
  const owned = await makeOwned(one, server);
  const [first, second] = [await enter(one, owned), await enter(other, owned)];
  const made = await first.wallets.create({ handle: 'shop', custom: { by: 'one' } });
  expect(await second.wallets.get('shop')).toEqual(made);
  const updated = await second.wallets.update('shop', (data) => ({ ...data, custom: { by: 'other' } }));
  expect(await first.wallets.sign(updated, { status: 'active' })).toMatchObject({ meta: { status: 'active' } });
  await second.wallets.drop('shop', { confirm: true });
  expect(await first.wallets.history(made.luid).all()).toEqual(await second.wallets.history(made.luid).all());
}
