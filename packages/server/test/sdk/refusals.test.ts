import { LedgerSdk, LedgerSdkError } from '@minka/ledger-sdk';
import { createKeyPair, verifySignature } from '@minka/ledger-sdk/crypto/src/index.js';
import type { LedgerRecord } from '@minka/ledger-sdk/types/src/index.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { withServer } from '../support/server.js';
import { answered, bearerOf, expectHashOf, type KeyPair, type SdkLedger, sdkLedger } from './ledger.js';

const server = withServer();
let open: SdkLedger;

beforeAll(async () => {
  open = await sdkLedger(server.current.url);
});

/** The error of a call that must fail, as the client throws it. */
async function failure(call: Promise<unknown>): Promise<LedgerSdkError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LedgerSdkError);
  return error as LedgerSdkError;
}

function wallet(sdk: LedgerSdk, keyPair: KeyPair, data: object) {
  return sdk.wallet
    .init({ data: { access: [], ...data } as never })
    .hash()
    .sign([{ keyPair }])
    .send();
}

describe('errors as the client tells them', () => {
  it('a handle that is taken', async () => {
    await wallet(open.sdk, open.owner, { handle: 'taken' });
    const error = await failure(wallet(open.sdk, open.owner, { handle: 'taken', custom: { other: true } }));
    expect(error).toMatchObject({
      reason: 'record.duplicated',
      detail: 'Wallet with handle taken already exists.',
      name: 'LedgerApiError',
    });
  });

  it('a record that is not there, in an answer the ledger has signed', async () => {
    const error = await failure(open.sdk.wallet.read('nobody'));
    expect(error).toMatchObject({ reason: 'record.not-found', detail: 'Wallet not found' });
    const body = error.custom.causedBy.response.data as LedgerRecord<object>;
    expectHashOf(body);
    const [proof] = body.meta.proofs!;
    expect(proof!.public).toBe(open.system);
    expect(await verifySignature(body.hash, proof!)).toBe(true);
  });

  it('data that is not of the shape, with the list of what is wrong', async () => {
    const error = await failure(wallet(open.sdk, open.owner, { handle: 'no spaces', surprise: 1 }));
    expect(error.reason).toBe('record.schema-invalid');
    expect(error.custom.errors.map((one: { instancePath: string }) => one.instancePath)).toContain('/data/handle');
  });

  it('a bridge that names no schema or one that is not there', async () => {
    const bridge = (data: object) =>
      open.sdk.bridge
        .init({ data: { handle: 'b', config: { server: 'https://b.example' }, secure: [], ...data } as never })
        .hash()
        .sign([{ keyPair: open.owner }])
        .send();
    expect(await failure(bridge({}))).toMatchObject({
      reason: 'record.schema-invalid',
      detail: 'There are schemas defined for record of type bridge, you must specify at least one.',
    });
    expect(await failure(bridge({ schema: 'soap' }))).toMatchObject({ reason: 'record.relation-not-found' });
  });

  it('a hash that is not of the data, a missing signature and an update of an old version', async () => {
    const { sdk, owner } = open;
    const data = { handle: 'w', access: [] };
    const wrong = sdk.wallet
      .init({ data })
      .hash('ab'.repeat(32))
      .sign([{ keyPair: owner }]);
    expect(await failure(wrong.send())).toMatchObject({ reason: 'crypto.hash-invalid' });
    expect(await failure(sdk.wallet.init({ data }).hash().send())).toMatchObject({
      reason: 'crypto.signature-missing',
      detail: 'Ledger mutations must be signed.',
    });

    const first = answered(await wallet(sdk, owner, { handle: 'raced' }));
    const update = (rank: number) =>
      sdk.wallet
        .from(first)
        .data({ custom: { rank } })
        .hash()
        .sign([{ keyPair: owner }])
        .send();
    await update(1);
    expect(await failure(update(2))).toMatchObject({ reason: 'crypto.parent-hash-invalid' });
    expect((await sdk.wallet.read('raced')).wallet.custom).toEqual({ rank: 1 });
  });

  it('a filter that the kind does not have', async () => {
    expect(await failure(open.sdk.wallet.list({ 'data.access': 'x' } as object))).toMatchObject({
      reason: 'api.query-malformed',
      detail: "Unsupported filters: 'data.access'",
    });
  });

  it('a ledger that is not there or not named, which nobody can sign', async () => {
    const { url } = server.current;
    const unsigned = async (sdk: LedgerSdk) => {
      const error = await failure(sdk.wallet.read('w'));
      expect(error.custom.causedBy.response.data.meta.proofs).toEqual([]);
      return error;
    };
    expect(await unsigned(new LedgerSdk({ server: url, ledger: 'no-such-ledger' }))).toMatchObject({
      reason: 'api.route-not-found',
      detail: 'Server does not host requested ledger',
    });
    expect(await unsigned(new LedgerSdk({ server: url }))).toMatchObject({ detail: 'Active ledger is not set!' });
  });
});

describe('a ledger with rules', () => {
  let member: KeyPair;
  let stranger: KeyPair;
  let closed: SdkLedger;

  beforeAll(async () => {
    member = await createKeyPair();
    stranger = await createKeyPair();
    closed = await sdkLedger(server.current.url, [
      { action: 'any', record: 'any', signer: { public: member.public } },
      { action: 'any', record: 'any', bearer: { $signer: { public: member.public } } },
      // So that everyone can fetch the key that verifies the ledger's answers.
      { action: 'read', record: 'signer' },
    ]);
  });

  it('lets in who the rules name: by proof to write, by token to read', async () => {
    await wallet(closed.sdk, member, { handle: 'inside' });
    const sdk = closed.client();
    sdk.setAuthParams(bearerOf(member, closed.handle));
    expect((await sdk.wallet.read('inside')).wallet.handle).toBe('inside');
    expect((await sdk.wallet.list()).wallets).toHaveLength(1);
  });

  it('refuses a stranger who signs: auth.forbidden', async () => {
    expect(await failure(wallet(closed.sdk, stranger, { handle: 'outside' }))).toMatchObject({
      reason: 'auth.forbidden',
      detail: 'Cannot create wallet.',
    });
    const sdk = closed.client({ secure: bearerOf(stranger, closed.handle) });
    expect(await failure(sdk.wallet.read('inside'))).toMatchObject({ reason: 'auth.forbidden' });
    expect(await failure(sdk.wallet.list())).toMatchObject({ detail: 'Cannot query wallet.' });
  });

  it('refuses who shows nothing, or a token that is not good: auth.unauthorized', async () => {
    expect(await failure(closed.sdk.wallet.list())).toMatchObject({ reason: 'auth.unauthorized' });
    const expired = { ...bearerOf(member, closed.handle), exp: -1 };
    const forged = { ...bearerOf(stranger, closed.handle), kid: member.public };
    for (const secure of [expired, forged]) {
      expect(await failure(closed.client({ secure }).wallet.list())).toMatchObject({
        reason: 'auth.unauthorized',
        detail: 'Invalid token.',
      });
    }
  });
});
