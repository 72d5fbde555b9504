import type { RecordEnvelope } from '@countersign/protocol';
import { NotAnExport } from '@countersign/verifier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { destroy, limit, MoneyScene, transfer } from '../../money/scene.js';
import { ok } from '../../support/scene.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { exported, verified } from '../support.js';
import { Draft } from './draft.js';
import { movementsIn, moveTo, noteMovement } from './noted.js';

let server: RunningServer;
let text: string;

beforeAll(async () => {
  server = await startServer();
  const money = await MoneyScene.make(
    server.url,
    ['alice', 'bob', 'shop', { handle: 'sends', routes: [{ action: 'forward', target: 'bob' }] }],
    { config: { 'limits.aggregated.enabled': true } },
  );
  await money.issue('alice', 100);
  const limits = [limit('alice', 'minBalance', -10), limit('bob', 'dailyAmount', 500), limit('shop', 'maxBalance', 90)];
  await money.done(limits);
  await money.done([transfer('alice', 'shop', 40)]);
  await money.done([transfer('shop', 'bob', 40)]);
  const shop: RecordEnvelope = ok(await money.client.get('/wallets/shop')).body;
  ok(await money.client.drop('/wallets/shop', shop));
  await money.add(['shop']);
  await money.done([transfer('alice', 'shop', 30)]);
  await money.done([transfer('shop', 'bob', 10)]);
  await money.done([transfer('alice', 'sends', 3)]);
  await money.done([destroy('bob', 3)]);
  text = await exported(server, money.client.ledger!);
}, 600_000);
afterAll(() => server.stop());

const found = (draft: Draft) => verified(draft.text()).findings.map(({ detail }) => detail);

/** The luid of the wallet of a handle: that which was dropped, or the other. */
function walletOf(draft: Draft, handle: string, isDropped = false): string {
  const isOf = (line: { text: string }) => JSON.parse(line.text).data.handle === handle;
  const made = draft.changes.filter((line) => line.kind === 'wallet' && line.change === 1 && isOf(line));
  return made.find(({ luid }) => draft.changesOf(luid).some(({ action }) => action === 'drop') === isDropped).luid;
}

it('an export with a handle that had two wallets verifies', () => {
  expect(verified(text).told).toEqual([]);
});

it('a file that says that it is a part of a ledger is no export: nothing of its money would be compared', () => {
  const draft = Draft.of(text);
  draft.header.scope = 'readable';
  expect(() => verified(draft.text())).toThrow(NotAnExport);
});

describe('movements and balances (export#what-is-verified)', () => {
  it('are of the wallet that was there: none is put down to one that was dropped', () => {
    const draft = Draft.of(text);
    const gone = walletOf(draft, 'shop', true);
    for (const debit of movementsIn(draft, walletOf(draft, 'shop')).slice(1)) moveTo(draft, debit, gone);
    expect(found(draft)).toEqual(['is dropped, and has a balance of usd']);
    // The same where it is left out.
    draft.lines = draft.lines.filter((one) => one.line !== 'balance' || one.wallet !== gone);
    expect(found(draft)).toContain('is left with -10 available and 0 reserved of usd, and has no balance');
  });

  it('are noted once', () => {
    const draft = Draft.of(text);
    const bob = walletOf(draft, 'bob');
    const [credit] = movementsIn(draft, bob).filter(({ availableBy }) => availableBy === 3);
    const debits = movementsIn(draft, bob).slice(-2);
    for (const one of [credit, ...debits]) noteMovement(draft, one);
    expect(found(draft)).toEqual(Array(3).fill(`has a movement of usd in ${bob} noted twice`));
  });

  it('are stated once', () => {
    const draft = Draft.of(text);
    const balance = draft.lines.find(({ line }) => line === 'balance');
    const none = { ...balance, available: { ...balance.available, amount: 0 } };
    delete none.reserved;
    draft.lines.splice(draft.lines.indexOf(balance), 0, none);
    expect(found(draft)).toEqual(['has two balances of usd']);
  });
});

describe('limits (export#what-is-verified)', () => {
  const limitsOf = (draft: Draft) => draft.lines.filter(({ line }) => line === 'limit');

  it('are all there', () => {
    const { length } = limitsOf(Draft.of(text));
    expect(length).toBe(3);
    for (let at = 0; at < length; at += 1) {
      const draft = Draft.of(text);
      const gone = limitsOf(draft)[at];
      draft.lines = draft.lines.filter((line) => line !== gone);
      expect(found(draft)).toEqual([`lacks its limit ${gone.metric} of usd, which an intent has set`]);
    }
  });

  it('stand there once', () => {
    const draft = Draft.of(text);
    const [limit] = limitsOf(draft);
    draft.lines.splice(draft.lines.indexOf(limit), 0, limit);
    expect(found(draft)).toEqual([`has a limit ${limit.metric} of usd that stands there twice`]);
  });
});
