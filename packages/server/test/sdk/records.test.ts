import { LedgerSdk } from '@minka/ledger-sdk';
import {
  createKeyPair,
  decryptSecretKey,
  encryptSecretKey,
  isSecretKeyEncrypted,
  verifySignature,
} from '@minka/ledger-sdk/crypto/src/index.js';
import {
  BridgeSchema,
  ClaimAction,
  EffectActionSchema,
  EventSignal,
  WalletRouteAction,
} from '@minka/ledger-sdk/types/src/index.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { withServer } from '../support/server.js';
import { answered, expectHashOf, type KeyPair, type SdkLedger, sdkLedger } from './ledger.js';

const server = withServer();
let ledger: SdkLedger;

beforeAll(async () => {
  ledger = await sdkLedger(server.current.url);
});

/** How a client signs a create. The client writes the moment into `custom`, so each proof needs one of its own. */
function creating(keyPair: KeyPair) {
  return { keyPair, custom: { status: 'created' } };
}

/** A wallet with that handle, signed by the owner of the ledger. */
async function wallet(handle: string, custom: Record<string, unknown> = {}) {
  return ledger.sdk.wallet
    .init({ data: { handle, custom, access: [] } })
    .hash()
    .sign([creating(ledger.owner)])
    .send();
}

describe('the server and its ledgers', () => {
  it('tells its status, with a ledger and without', async () => {
    const { status } = await new LedgerSdk({ server: server.current.url }).status();
    expect(status).toMatchObject({ status: 'UP', handle: 'test', server: server.current.url, semver: '2.36.0' });
    expect(status).toMatchObject({ uptime: expect.any(Number), dependencies: { db: 'CONNECTED' } });
    const { handle } = ledger;
    expect((await new LedgerSdk({ server: server.current.url, ledger: handle }).status()).status.ledger).toBe(handle);
  });

  it('creates a ledger, makes it the active one, reads it and updates it', async () => {
    const { handle, owner, system } = ledger;
    const sdk = new LedgerSdk({ server: server.current.url, signer: { format: 'ed25519-raw', public: system } });
    const read = await sdk.ledger.read(handle);
    expect(read.ledger).toMatchObject({ handle, signer: 'system' });
    await sdk.proofs.length(2).expect({ public: owner.public }).ledger().verify(answered(read));

    const updated = await sdk.ledger
      .from(answered(read))
      .data({ custom: { region: 'north' } })
      .hash()
      .sign([{ keyPair: owner }])
      .send();
    expect(updated.ledger).toMatchObject({ custom: { region: 'north' }, parent: read.hash });
    await sdk.proofs.length(2).ledger().verify(answered(updated));

    sdk.setActiveLedger(handle);
    expect((await sdk.signer.read('system')).signer.public).toBe(system);
  });

  it('lists to an owner the ledgers it owns, and no other', async () => {
    const secure = { iss: 'test', sub: 'test', aud: 'test', exp: 60, keyPair: ledger.owner };
    const { ledgers } = await new LedgerSdk({ server: server.current.url, secure }).ledger.list();
    expect(ledgers.map((one) => one.handle)).toEqual([ledger.handle]);
  });
});

/**
 * Whether the client can encrypt a secret key. It takes what it has encrypted itself only where the salt has 8 bytes, as
 * with OpenSSL 3.0 (Node.js 20); with 3.5 (Node.js 22.23, 24.21) it has 16.
 */
const canEncrypt = isSecretKeyEncrypted(await encryptSecretKey((await createKeyPair()).secret, 'a password'));

describe('records', () => {
  it.skipIf(!canEncrypt)('stores a signer whose secret key only its password opens', async () => {
    const keyPair = await createKeyPair();
    const sent = await ledger.sdk.signer
      .init()
      .data({ handle: 'tesla' })
      .keys(keyPair)
      .code('a password')
      .hash()
      .lock()
      .send();
    expectHashOf(answered(sent));
    const read = await ledger.sdk.signer.read('tesla');
    expect(answered(read)).toEqual(answered(sent));
    expect(read.signer).toMatchObject({ public: keyPair.public, access: [{ action: 'any' }] });
    expect(await decryptSecretKey(read.signer.secret!, 'a password')).toBe(keyPair.secret);
  });

  it('names the signer that a proof is of', async () => {
    const keyPair = await createKeyPair();
    await ledger.sdk.signer.init().data({ handle: 'ada' }).keys(keyPair).hash().lock().send();
    const sent = await ledger.sdk.symbol
      .init({ data: { handle: 'usd', factor: 100, access: [] } })
      .hash()
      .sign([creating(keyPair)])
      .send();
    expect(sent.symbol).toEqual({ handle: 'usd', factor: 100, access: [] });
    expect(answered(sent).meta).toMatchObject({ status: 'created', owners: [keyPair.public] });
    await ledger.sdk.proofs
      .length(2, 2)
      .expect({ public: keyPair.public, signer: 'ada' } as object)
      .ledger()
      .verify(answered(sent));
  });

  it('stores a bridge of the schema the ledger is born with, and wallets that route', async () => {
    const bridge = await ledger.sdk.bridge
      .init()
      .data({ handle: 'bank', schema: BridgeSchema.Rest, config: { server: 'https://bank.example/v2' }, secure: [] })
      .hash()
      .sign([creating(ledger.owner)])
      .send();
    expect(bridge.bridge.schema).toBe('rest');
    expectHashOf(answered(bridge));

    const data = {
      handle: 'tel:1234567@bank',
      bridge: 'bank',
      custom: { name: 'Zoë' },
      access: [],
      routes: [
        { action: WalletRouteAction.Forward, filter: { symbol: 'usd' }, target: 'pool' },
        { action: WalletRouteAction.Accept },
      ],
    };
    const sent = await ledger.sdk.wallet
      .init({ data })
      .hash()
      .sign([creating(ledger.owner)])
      .send();
    expect(sent.wallet).toEqual(data);
    expect(answered(await ledger.sdk.wallet.read('tel:1234567@bank'))).toEqual(answered(sent));
  });

  it('stores an effect', async () => {
    const action = { schema: EffectActionSchema.webhook, endpoint: 'https://hooks.example/events' } as const;
    const { effect } = await ledger.sdk.effect
      .init({ data: { handle: 'on-wallet', signal: EventSignal.WalletCreated, action, access: [] } as never })
      .hash()
      .sign([creating(ledger.owner)])
      .send();
    expect(effect).toMatchObject({ handle: 'on-wallet', signal: 'wallet-created', action });
  });

  it('carries the proofs of several signers, in order', async () => {
    const others = [await createKeyPair(), await createKeyPair()];
    const sent = await ledger.sdk.wallet
      .init({ data: { handle: 'shared', access: [] } })
      .hash()
      .sign(others.map(creating))
      .send();
    const keys = others.map((keyPair) => keyPair.public);
    expect(answered(sent).meta.proofs.map((proof) => proof.public)).toEqual([...keys, ledger.system]);
    expect(answered(sent).meta.owners).toEqual(keys);
  });
});

describe('intents', () => {
  it('takes claims whose addresses are text, keeps them so, and takes a further signature', async () => {
    const claims = [
      { action: ClaimAction.Issue, target: 'alice', symbol: 'usd', amount: 1000 } as const,
      { action: ClaimAction.Transfer, source: 'alice', target: 'tel:99@bank', symbol: 'usd', amount: 250 } as const,
    ];
    const sent = await ledger.sdk.intent
      .init({ data: { handle: 'payment-1', claims, access: [] } })
      .hash()
      .sign([{ keyPair: ledger.owner }])
      .send();
    expect(sent.intent.claims).toEqual(claims);
    expect(sent.meta.status).toBe('pending');
    expect(sent.meta.thread).toMatch(/^[A-Za-z0-9_-]{17}$/);
    expectHashOf(answered(sent));

    await eventually(async () => expect((await ledger.sdk.intent.read('payment-1')).meta.status).toBe('rejected'));
    const keyPair = await createKeyPair();
    const signed = await ledger.sdk.intent
      .from(answered(sent))
      .sign([{ keyPair, custom: { note: 'seen' } as object }])
      .send();
    expect(signed.hash).toBe(sent.hash);
    // Nobody has made the wallets: the intent was rejected meanwhile.
    expect(signed.meta.status).toBe('rejected');
    expect(signed.meta.proofs!.at(-1)).toMatchObject({ public: keyPair.public, custom: { note: 'seen' } });
    await ledger.sdk.proofs.expect({ public: keyPair.public }).ledger().verify(answered(signed));
    expect(answered(await ledger.sdk.intent.read('payment-1'))).toEqual(answered(signed));
    expect((await ledger.sdk.intent.list()).intents.map((intent) => intent.handle)).toEqual(['payment-1']);
  });
});

describe('updates', () => {
  it('replaces the data, names the version before, and keeps what is not data', async () => {
    const before = await wallet('changing', { tier: 'gold', gone: 1 });
    const after = await ledger.sdk.wallet
      .from(answered(before))
      .data({ custom: { tier: 'silver', gone: null } })
      .hash()
      .sign([{ keyPair: ledger.owner }])
      .send();
    expect(after.wallet).toEqual({
      handle: 'changing',
      custom: { tier: 'silver' },
      access: [],
      parent: before.hash,
    });
    expect(answered(after).luid).toBe(answered(before).luid);
    expect(answered(after).meta.owners).toEqual([ledger.owner.public]);
    expectHashOf(answered(after));
    await ledger.sdk.proofs.length(2, 2).ledger().verify(answered(after));
  });
});

describe('lists', () => {
  it('pages, filters, and signs what it lists', async () => {
    for (const [index, tier] of ['gold', 'silver', 'gold', 'gold'].entries()) await wallet(`listed-${index}`, { tier });
    const params = { page: { index: 1, limit: 2 }, 'data.custom.tier': 'gold' };
    const page = await ledger.sdk.wallet.list(params);
    expect(page.wallets.map((one) => one.handle)).toEqual(['listed-0']);
    expect(page.page).toEqual({ index: 1, limit: 2 });
    expectHashOf(page.response.data);
    for (const proof of page.meta.proofs!) expect(await verifySignature(page.hash, proof)).toBe(true);
    const named = { 'data.handle': { $in: ['listed-1', 'listed-3', 'none'] } } as object;
    const found = await ledger.sdk.wallet.list(named);
    expect(found.wallets.map((one) => one.handle)).toEqual(['listed-3', 'listed-1']);
  });
});

describe('verification by the client', () => {
  it('finds an altered record, a lifted proof and a ledger that is another', async () => {
    const record = answered(await wallet('verified'));
    const other = answered(await wallet('verified-2'));
    const { proofs } = ledger.sdk;
    await proofs.ledger().verify(record);
    const altered = { ...record, hash: other.hash };
    await expect(ledger.sdk.proofs.verify(altered)).rejects.toMatchObject({ reason: 'crypto.signature-invalid' });
    const lifted = { ...record, meta: { ...record.meta, proofs: other.meta.proofs } };
    await expect(ledger.sdk.proofs.verify(lifted)).rejects.toMatchObject({ reason: 'crypto.signature-invalid' });
    const elsewhere = await sdkLedger(server.current.url);
    await expect(elsewhere.sdk.proofs.ledger().verify(record)).rejects.toMatchObject({
      reason: 'crypto.signature-missing',
    });
  });
});
