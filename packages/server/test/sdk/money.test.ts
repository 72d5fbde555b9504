import { createKeyPair } from '@minka/ledger-sdk/crypto/src/index.js';
import {
  ClaimAction,
  type IntentRecord,
  type LedgerClaim,
  WalletRouteAction,
} from '@minka/ledger-sdk/types/src/index.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from '../money/invariants.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';
import { answered, expectHashOf, type KeyPair, type SdkLedger, sdkLedger } from './ledger.js';

const server = withOwnServer();
let ledger: SdkLedger;

beforeAll(async () => {
  ledger = await sdkLedger(server.current.url);
  await symbol('usd');
});

afterEach(() => checkBooks(server.current.database.url));

async function symbol(handle: string) {
  await ledger.sdk.symbol
    .init({ data: { handle, factor: 100, access: [] } })
    .hash()
    .sign([{ keyPair: ledger.owner }])
    .send();
}

async function wallet(handle: string, more: object = {}) {
  const sent = await ledger.sdk.wallet
    .init({ data: { handle, access: [], ...more } })
    .hash()
    .sign([{ keyPair: ledger.owner }])
    .send();
  return answered(sent);
}

const issue = (target: string, amount: number): LedgerClaim => ({
  action: ClaimAction.Issue,
  target,
  symbol: 'usd',
  amount,
});

const transfer = (source: string, target: string, amount: number): LedgerClaim => ({
  action: ClaimAction.Transfer,
  source,
  target,
  symbol: 'usd',
  amount,
});

const destroy = (source: string, amount: number): LedgerClaim => ({
  action: ClaimAction.Destroy,
  source,
  symbol: 'usd',
  amount,
});

/** Sends an intent as the client does, and reads it until it is final. */
async function settle(handle: string, claims: LedgerClaim[], keyPair: KeyPair = ledger.owner) {
  const sent = await ledger.sdk.intent
    .init({ data: { handle, claims, access: [] } })
    .hash()
    .sign([{ keyPair, custom: { status: 'created' } }])
    .send();
  expect(sent.meta.status).toBe('pending');
  return eventually(async () => {
    const read = await ledger.sdk.intent.read(handle);
    expect(read.meta.status).toMatch(/^(completed|rejected)$/);
    return answered(read);
  });
}

/** The balances of a wallet, as the client lists them. */
async function balancesOf(handle: string): Promise<string[]> {
  const { balances } = await ledger.sdk.wallet.getBalances(handle);
  return balances.map((one) => `${(one as { schema?: string }).schema} ${one.amount} ${one.symbol}`);
}

describe('money moved by the public client', () => {
  it('is issued, transferred and destroyed, with claims whose addresses are text', async () => {
    await wallet('alice');
    await wallet('bob');
    const issued = await settle('issue-1', [issue('alice', 100_00)]);
    expect([issued.meta.status, issued.meta.routed, issued.meta.proofs.length]).toEqual(['completed', true, 8]);
    const moved = await settle('transfer-1', [transfer('alice', 'bob', 25_00)]);
    expect([moved.meta.status, moved.meta.proofs.length]).toEqual(['completed', 12]);
    expect(moved.data.claims).toEqual([transfer('alice', 'bob', 25_00)]);
    expectHashOf(moved);
    expect((await settle('destroy-1', [destroy('bob', 5_00)])).meta.status).toBe('completed');
    expect(await balancesOf('alice')).toEqual(['available 7500 usd', 'reserved 0 usd']);
    expect(await balancesOf('bob')).toEqual(['available 2000 usd', 'reserved 0 usd']);
  });

  it('has proofs that the client verifies, those of the core and of the ledger, bare ones too', async () => {
    await wallet('carol');
    const intent = await settle('issue-2', [issue('carol', 10), issue('carol', 5)]);
    await ledger.sdk.proofs.length(9).expect({ public: ledger.owner.public }).ledger().verify(intent);
    const moved = await settle('destroy-2', [destroy('carol', 15)]);
    const core = (await ledger.sdk.signer.read('core')).signer.public;
    await ledger.sdk.proofs.length(9).expect({ public: core }).ledger().verify(moved);
    const altered = structuredClone(moved);
    altered.meta.proofs[7]!.custom = { ...altered.meta.proofs[7]!.custom, detail: 'other' };
    await expect(ledger.sdk.proofs.verify(altered)).rejects.toMatchObject({ reason: 'crypto.signature-invalid' });
  });

  it('is refused, with the reason in the proofs, where there is too little', async () => {
    await wallet('poor');
    await wallet('rich');
    const { meta } = await settle('overdraw', [transfer('poor', 'rich', 1)]);
    expect(meta.status).toBe('rejected');
    expect(meta.proofs.map(({ custom }) => custom)).toContainEqual(
      expect.objectContaining({
        status: 'failed',
        reason: 'core.limit-exceeded',
        detail: 'Amount -1 is less than minimum allowed amount 0 for wallet poor, symbol usd, schema available',
      }),
    );
    expect(await balancesOf('poor')).toEqual([]);
  });

  it('is moved once when the intent is sent again', async () => {
    await wallet('dave');
    const record = await ledger.sdk.intent
      .init({ data: { handle: 'once', claims: [issue('dave', 7)], access: [] } })
      .hash()
      .sign([{ keyPair: ledger.owner }])
      .read();
    for (const _ of [1, 2]) await ledger.sdk.intent.init(structuredClone(record)).send();
    await eventually(async () => expect(await balancesOf('dave')).toEqual(['available 7 usd']));
    await expect(settle('once', [issue('dave', 7)])).rejects.toMatchObject({ reason: 'record.duplicated' });
    expect(await balancesOf('dave')).toEqual(['available 7 usd']);
  });

  it('goes on by a route', async () => {
    await wallet('pool');
    await wallet('till', { routes: [{ action: WalletRouteAction.Forward, target: 'pool' }] });
    expect((await settle('routed', [issue('till', 30)])).meta.status).toBe('completed');
    expect(await balancesOf('pool')).toEqual(['available 30 usd']);
    expect(await balancesOf('till')).toEqual(['available 0 usd']);
  });

  it('is paged and told in total', async () => {
    await wallet('eve');
    await settle('eve-1', [issue('eve', 9)]);
    await settle('eve-2', [destroy('eve', 4)]);
    const page = await ledger.sdk.wallet.getBalances('eve', { page: { index: 1, limit: 1 } });
    expect(page.balances).toEqual([
      expect.objectContaining({ wallet: 'eve', symbol: 'usd', schema: 'reserved', amount: 0 }),
    ]);
    expect(page.page).toEqual({ index: 1, limit: 1, total: 2 });
    expectHashOf(page.response.data);
  });
});

describe('further signatures of the client', () => {
  /** The intent as it is served, read again by the client. */
  const read = async (handle: string) => answered(await ledger.sdk.intent.read(handle)) as IntentRecord;

  it('are added to an intent that is final, and change nothing', async () => {
    await wallet('frank');
    await settle('signed', [issue('frank', 3)]);
    const keyPair = await createKeyPair();
    const signed = await ledger.sdk.intent
      .from(await read('signed'))
      .sign([{ keyPair, custom: { status: 'created' } }])
      .send();
    expect(signed.meta.status).toBe('completed');
    expect(answered(signed).meta.proofs.at(-1)).toMatchObject({ public: keyPair.public });
    await ledger.sdk.proofs.length(9).expect({ public: keyPair.public }).ledger().verify(answered(signed));
    expect(await balancesOf('frank')).toEqual(['available 3 usd']);
  });

  it('are several at once', async () => {
    await wallet('grace');
    await settle('signed-twice', [issue('grace', 3)]);
    const keys = [await createKeyPair(), await createKeyPair()];
    const signed = await ledger.sdk.intent
      .from(await read('signed-twice'))
      .sign(keys.map((keyPair) => ({ keyPair })))
      .send();
    const added = answered(signed)
      .meta.proofs.slice(-2)
      .map((proof) => proof.public);
    expect(added).toEqual(keys.map((keyPair) => keyPair.public));
  });
});
