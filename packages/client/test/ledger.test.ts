import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withServer } from '../../server/test/support/server.js';
import { connect, fromSeed, isRefusal, newSeed, type SignedRequest, type Signing } from '../src/index.js';
import { makeLedger, OPEN } from './support/ledger.js';

const server = withServer();

/** Everyone may do everything, and erase. */
const MAY_ERASE = [...OPEN, { action: 'erase', record: 'any' } as const];

describe('records', () => {
  it('are made, read, changed, signed, listed and dropped', async () => {
    const { ledger } = await makeLedger(server.current.url);
    const made = await ledger.wallets.create({ handle: 'shop', custom: { tier: 'silver' } });
    expect(made.meta.status).toBe('created');
    expect(await ledger.wallets.get('shop')).toEqual(made);

    const updated = await ledger.wallets.update(made, { handle: 'shop', custom: { tier: 'gold' } });
    expect(updated.data).toEqual({ handle: 'shop', custom: { tier: 'gold' }, parent: made.hash });
    const again = await ledger.wallets.update('shop', (data) => ({ ...data, custom: { ...data.custom, more: 1 } }));
    expect(again.data).toEqual({ handle: 'shop', custom: { tier: 'gold', more: 1 }, parent: updated.hash });

    const signed = await ledger.wallets.sign('shop', { status: 'active', labels: { $push: ['vip'] } });
    expect(signed.meta).toMatchObject({ status: 'active', labels: ['vip'] });

    const versions = await ledger.wallets.history('shop').all();
    expect(versions.map(({ meta }) => `${meta.change} ${meta.action}`)).toEqual([
      '4 update',
      '3 update',
      '2 update',
      '1 create',
    ]);
    expect((await ledger.wallets.change('shop', 1)).data).toEqual(made.data);
    expect(JSON.parse(await ledger.kind('wallet').changeText('shop', 1))).toEqual(made);

    await ledger.wallets.drop('shop', { custom: { reason: 'closed' }, confirm: true });
    const missing = await ledger.wallets.get('shop').catch((error: unknown) => error);
    expect(missing).toMatchObject({
      reason: 'record.not-found',
      detail: 'Wallet not found',
      isSigned: true,
      status: 404,
    });
    const last = await ledger.wallets.change(made.luid, 5);
    expect(last.meta).toMatchObject({ action: 'drop', status: 'dropped' });
  });

  it('are signed once what is signed was agreed to', async () => {
    const { ledger, signer } = await makeLedger(server.current.url);
    const shown: Signing[] = [];
    const made = await ledger.wallets.create({ handle: 'shop' }, { onSigning: (signing) => void shown.push(signing) });
    const [proof] = (made as unknown as { meta: { proofs: { digest: string }[] } }).meta.proofs;
    expect(shown).toMatchObject([{ data: '{"handle":"shop"}', hash: made.hash, keys: [signer.public] }]);
    const digest = createHash('sha256')
      .update(made.hash + shown[0]?.custom)
      .digest('hex');
    expect([shown[0]?.digest, proof?.digest]).toEqual([digest, digest]);
    const onSigning = () => Promise.reject(new Error('no'));
    await expect(ledger.wallets.sign('shop', { status: 'active' }, { onSigning })).rejects.toThrow('no');
    expect((await ledger.wallets.get('shop')).meta).toMatchObject({ status: 'created' });
  });

  it('are stored with a hint on what they do not do as they are', async () => {
    const hints: string[] = [];
    const { ledger } = await makeLedger(server.current.url, {}, { onHint: (hint) => hints.push(hint) });
    await ledger.wallets.create({ handle: 'alive' });
    expect(hints).toEqual([]);
    await ledger.wallets.create({ handle: 'dead', access: [{ action: 'read', bearer: { role: 'auditor' } }] });
    expect(hints).toEqual([expect.stringContaining('access[0] is met by nobody')]);
  });

  it('that a ledger is born with verify, in lists, alone and in their histories', async () => {
    const { ledger } = await makeLedger(server.current.url);
    let seen = 0;
    for (const kind of ['signers', 'policies', 'schemas'] as const) {
      for await (const { luid, data } of ledger[kind].list()) {
        expect((await ledger[kind].get(luid)).data).toEqual(data);
        expect(await ledger[kind].history(luid).all()).toHaveLength(1);
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(15);
    expect((await ledger.record.get()).luid).toMatch(/^\$ldg\./);
    expect(await ledger.record.history().all()).toHaveLength(1);
  });

  it('are found by filters, page after page', async () => {
    const { ledger } = await makeLedger(server.current.url);
    for (const [handle, rank] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 4],
      ['e', 5],
    ] as const) {
      await ledger.wallets.create({ handle, custom: { rank, 'odd key': `${rank % 2}` } });
    }
    const handles = async (filter: Parameters<typeof ledger.wallets.list>[0]) =>
      (await ledger.wallets.list(filter).all()).map(({ data }) => data.handle).join('');
    expect(await handles({ limit: 2 })).toBe('edcba');
    expect(await handles({ filter: { 'data.handle': 'c' } })).toBe('c');
    expect(await handles({ filter: { 'data.handle': { $in: ['a', 'e'] } }, limit: 1 })).toBe('ea');
    expect(await handles({ filter: { 'data.custom.rank': { $gte: 2, $lt: 4 } } })).toBe('cb');
    expect((await ledger.wallets.list({ limit: 2 }).page(2)).items).toHaveLength(1);
    const refused = await ledger.wallets
      // @ts-expect-error wallets have no such member
      .list({ filter: { 'data.claims': 1 } })
      .all()
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ reason: 'api.query-malformed' });
  });

  it('of a domain in a domain verify with the parent that the ledger shows', async () => {
    const { ledger } = await makeLedger(server.current.url);
    await ledger.domains.create({ handle: 'eu' });
    const made = await ledger.domains.create({ handle: 'hr@eu' });
    expect(made.meta.domain).toBe('eu');
    expect((await ledger.domains.get('hr@eu')).data).toMatchObject({ domain: 'eu' });
    await ledger.domains.update('hr@eu', (data) => ({ ...data, custom: { a: 1 } }));
    expect(await ledger.domains.history('hr@eu').all()).toHaveLength(2);
  });
});

describe('what a dropped record said', () => {
  it('is erased by its luid, once, and the answer verifies', async () => {
    const { ledger } = await makeLedger(server.current.url, { access: MAY_ERASE });
    const wallet = await ledger.wallets.create({ handle: 'person', custom: { name: 'Zebra' } });
    const early = await ledger.wallets.erase(wallet, 'asked').catch((error: unknown) => error);
    expect(early).toMatchObject({
      reason: 'record.invalid',
      detail: 'Wallet is in force. Drop it before it is erased.',
    });
    await ledger.wallets.drop(wallet);
    const kept: SignedRequest[] = [];
    const onSigned = (request: SignedRequest) => void kept.push(request);
    const erased = await ledger.wallets.erase(wallet.luid, 'Request 4711', { custom: { by: 'desk' }, onSigned });
    expect(erased.data).toEqual({ luid: wallet.luid, change: 2, reason: 'Request 4711' });
    expect(erased.meta.status).toBe('erased');
    expect(erased.meta.proofs[0]?.custom).toMatchObject({ status: 'erased', record: 'wallet', by: 'desk' });
    const versions = await ledger.wallets.history(wallet.luid).all();
    expect(versions.map(({ data }) => data)).toEqual([erased.data]);
    // It is done already: nothing more is sent.
    expect(await ledger.wallets.erase(wallet, 'again', { onSigned })).toMatchObject(erased);
    expect(kept.map(({ operation, luid }) => [operation, luid])).toEqual([['erase', wallet.luid]]);
    expect(await ledger.resend(kept[0] as SignedRequest)).toEqual(erased);
  });

  it('is erased below others, too, and without a look at the history where the change is known', async () => {
    const key = await fromSeed(newSeed());
    const { ledger, connect } = await makeLedger(server.current.url, { access: MAY_ERASE });
    await ledger.signers.create({ handle: 'ada', public: key.public, format: 'ed25519-raw' }, { cosigners: [key] });
    await ledger.circles.create({ handle: 'staff' });
    const { luid } = await ledger.circles.addSigner('staff', 'ada');
    await ledger.circles.removeSigner('staff', 'ada');
    const asked: string[] = [];
    const watched = connect({
      fetch: (url, init) => {
        asked.push(`${init.method} ${new URL(url).pathname}`);
        return fetch(url, init);
      },
    });
    const erased = await watched.circles.signers('staff').erase(luid, 'asked', { change: 2 });
    expect(erased.data).toEqual({ luid, change: 2, reason: 'asked' });
    // Somebody else was quicker: what they have said is all that is left.
    expect(await ledger.circles.signers('staff').erase(luid, 'asked, too', { change: 2 })).toEqual(erased);
    expect(asked).toEqual([`POST /v2/circles/staff/signers/${encodeURIComponent(luid)}/erase`]);
  });
});

describe('kinds below others', () => {
  it('are members of circles', async () => {
    const { ledger, signer } = await makeLedger(server.current.url);
    await ledger.signers.create({ handle: 'ada', public: signer.public, format: 'ed25519-raw' });
    await ledger.circles.create({ handle: 'tellers' });
    const member = await ledger.circles.addSigner('tellers', 'ada');
    expect(member.data).toEqual({ circle: 'tellers', signer: 'ada' });
    expect(await ledger.circles.signers('tellers').list().all()).toHaveLength(1);
    await ledger.circles.removeSigner('tellers', 'ada', { confirm: true });
    expect(await ledger.circles.signers('tellers').list().all()).toHaveLength(0);
  });

  it('are factors of signers, and credentials that the ledger completes', async () => {
    const { ledger, signer } = await makeLedger(server.current.url);
    await ledger.signers.create({ handle: 'ada', public: signer.public, format: 'ed25519-raw' });
    const factors = ledger.signers.factors('ada');
    await factors.create({ handle: 'key', schema: 'key-pair', format: 'ed25519-raw', public: signer.public });
    const credentials = await factors.create({ handle: 'app', schema: 'oauth-client-credentials' });
    expect(credentials.data).toHaveProperty('clientId');
    expect(await factors.list().all()).toHaveLength(2);
    expect((await factors.get('key')).data.signer).toBe('ada');
  });
});

describe('money', () => {
  it('moves, and is seen in balances and limits', async () => {
    const { ledger } = await makeLedger(server.current.url);
    await ledger.symbols.create({ handle: 'usd', factor: 100 });
    for (const handle of ['till', 'shop']) await ledger.wallets.create({ handle });
    const transfer = { action: 'transfer' as const, source: 'till', target: 'shop', symbol: 'usd', amount: 1250 };
    await ledger.intents.settled(
      await ledger.intents.create({
        handle: 'i-0',
        claims: [{ action: 'issue', target: 'till', symbol: 'usd', amount: 5000 }],
      }),
    );
    const intent = await ledger.intents.create({ handle: 'i-1', claims: [transfer] });
    expect((await ledger.intents.settled(intent)).meta.status).toBe('completed');
    expect(await ledger.intents.history('i-1').all()).toHaveLength(8);
    const balances = await ledger.wallets.balances('till').all();
    expect(balances.map(({ data }) => `${data.schema} ${data.amount}`)).toEqual(['available 3750', 'reserved 0']);

    const held = await ledger.intents.create({ handle: 'i-2', claims: [transfer], config: { commit: 'manual' } });
    await expect.poll(async () => (await ledger.intents.get('i-2')).meta.status).toBe('prepared');
    await ledger.intents.commit(held);
    expect((await ledger.intents.settled('i-2')).meta.status).toBe('completed');
    await ledger.intents.create({ handle: 'i-3', claims: [transfer], config: { commit: 'manual' } });
    await expect.poll(async () => (await ledger.intents.get('i-3')).meta.status).toBe('prepared');
    await ledger.intents.abort('i-3');
    expect((await ledger.intents.settled('i-3')).meta.status).toBe('rejected');

    const limit = {
      action: 'limit' as const,
      wallet: 'till',
      symbol: 'usd',
      metric: 'minBalance' as const,
      amount: -100,
    };
    await ledger.intents.settled(await ledger.intents.create({ handle: 'i-4', claims: [limit] }));
    const [set] = await ledger.wallets.limits('till').all();
    expect(set?.data).toEqual({ wallet: 'till', symbol: 'usd', metric: 'minBalance', amount: -100 });
  });

  it('goes to anchors, which are looked up', async () => {
    const { ledger } = await makeLedger(server.current.url);
    await ledger.wallets.create({ handle: 'shop' });
    await ledger.anchors.create({ handle: 'tel:385', wallet: 'shop', target: 'account:1' });
    expect((await ledger.wallets.lookup('shop', { target: 'account:1' })).map(({ data }) => data.handle)).toEqual([
      'tel:385',
    ]);
    expect(await ledger.wallets.lookup('shop', { target: 'account:2' })).toEqual([]);
    expect(await ledger.wallets.anchors('shop')).toHaveLength(1);
    expect(await ledger.wallets.domains('shop')).toEqual([]);
  });
});

describe('reports, effects and access', () => {
  it('reports go from status to status, and drop', async () => {
    const { ledger } = await makeLedger(server.current.url);
    await ledger.schemas.create({
      handle: 'daily',
      record: 'report',
      format: 'json-schema',
      schema: { type: 'object' },
    });
    const report = await ledger.reports.create({ handle: 'r-1', schema: 'daily' });
    expect((await ledger.reports.sign(report, { status: 'pending' })).meta.status).toBe('pending');
    expect((await ledger.reports.sign('r-1', { status: 'pending' })).meta.status).toBe('pending');
    await ledger.reports.drop('r-1', { confirm: true });
  });

  it('effects have events, which are sent again', async () => {
    const { ledger } = await makeLedger(server.current.url);
    const action = { schema: 'webhook', endpoint: 'https://127.0.0.1:9/x' } as never;
    await ledger.effects.create({ handle: 'hook', signal: 'wallet-created', action });
    await ledger.wallets.create({ handle: 'shop' });
    const event = await ledger.effects.events('hook').first();
    expect(event?.data).toMatchObject({ effect: 'hook', record: 'wallet', linked: 'shop' });
    const handle = event?.data.handle ?? '';
    expect((await ledger.effects.event('hook', handle)).luid).toBe(event?.luid);
    await ledger.effects.retry('hook', { event: handle });
    const refused = await ledger.effects.retry('hook', { event: 'none' }).catch((error: unknown) => error);
    expect(isRefusal(refused, 'record.not-found')).toBe(true);
  });

  it('access checks tell the rules that grant', async () => {
    const { ledger } = await makeLedger(server.current.url);
    await ledger.wallets.create({ handle: 'shop', access: [{ action: 'update', record: 'wallet' }] });
    const rules = await ledger.wallets.check('shop', 'update');
    expect(rules.map(({ data }) => data.action)).toEqual(['any', 'update']);
    expect(await ledger.record.check('read')).toHaveLength(1);
  });

  it('the server tells about itself', async () => {
    const { data } = await connect({ server: server.current.url }).information();
    expect(data.status).toBe('UP');
  });
});
