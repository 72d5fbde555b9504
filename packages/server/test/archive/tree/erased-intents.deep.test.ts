import type { RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerKey } from '../../../src/keys/signing-key.js';
import { erasureOf, MAY_ERASE, SECRET_NAME } from '../../erasure/support.js';
import { REFUSED, reportWell, verbOf, withBridges } from '../../money/bridge.js';
import { bridgedScene } from '../../money/bridge-scene.js';
import { checkBooks } from '../../money/invariants.js';
import { issue, limit, type MoneyScene, transfer } from '../../money/scene.js';
import { eventually } from '../../support/eventually.js';
import { ok } from '../../support/scene.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { exported, verified } from '../support.js';
import { Draft, type DraftLine, systemKey } from './draft.js';
import { movementsIn, moveTo, noteMovement } from './noted.js';

const bridges = withBridges('bank', 'other');

let server: RunningServer;
let money: MoneyScene;
let text: string;
let key: ServerKey;
/** Luids of erased intents, by what they did. */
const erased: Record<string, string> = {};
const MORE = { custom: { name: SECRET_NAME } };

async function erase(name: string, handle: string): Promise<void> {
  const { client } = money;
  await eventually(async () => expect((await money.read(handle)).meta.status).toMatch(/^(completed|rejected)$/));
  const { luid } = await money.read(handle);
  const { total } = ok(await client.get(`/intents/${luid}/changes`)).body.page;
  ok(await client.call('POST', `/intents/${luid}/erase`, erasureOf(luid, total, client.key)));
  erased[name] = luid;
}

beforeAll(async () => {
  server = await startServer({ deliveryAllowPrivate: true });
  money = await bridgedScene(server.url, bridges, {
    access: MAY_ERASE,
    config: { 'limits.aggregated.enabled': true },
  });
  await money.add(['carol', 'gone', { handle: 'sends', routes: [{ action: 'forward', target: 'bob' }] }]);
  await erase('transfer', await money.done([transfer('alice', 'bob', 40)], MORE));
  await erase('issue', await money.done([issue('bob', 7)], MORE));
  const limits = [
    limit('carol', 'minBalance', -50),
    limit('bob', 'dailyAmount', 5_000),
    limit('bob', 'maxBalance', 9_000),
  ];
  await erase('limit', await money.done(limits, MORE));
  await money.done([transfer('carol', 'bob', 30)]);
  await money.rejected([transfer('carol', 'bob', 300)]);
  await erase('rejected', await money.intend([transfer('gone', 'bob', 1)], MORE));
  await erase('bridged', await money.intend([transfer('alice', 'acc', 10)], MORE));
  await erase('origin', await money.done([transfer('alice', 'sends', 3)], MORE));
  bridges.other.report = (call) => (verbOf(call).startsWith('prepare') ? REFUSED : reportWell(call));
  await erase('released', await money.intend([transfer('alice', 'far', 9)], MORE));
  // A wallet of which only one half of the payments is left.
  await money.done([transfer('alice', 'gone', 5)]);
  await erase('gone', await money.done([transfer('gone', 'bob', 5)], MORE));
  const wallet: RecordEnvelope = ok(await money.client.get('/wallets/gone')).body;
  ok(await money.client.drop('/wallets/gone', wallet));
  await eventually(async () =>
    ok(await money.client.call('POST', `/wallets/${wallet.luid}/erase`, erasureOf(wallet.luid, 2, money.client.key))),
  );
  await money.add(['gone']);
  await money.done([transfer('alice', 'gone', 2)]);
  await money.intend([transfer('alice', 'bob', 1)], { config: { commit: 'manual' } });
  await checkBooks(server.database.url);
  text = await exported(server, money.client.ledger!);
  key = await systemKey(server, money.client.ledger!);
}, 600_000);
afterAll(() => server.stop());

const found = (draft: Draft) => verified(draft.text()).findings.map(({ detail }) => detail);

describe('an export of a ledger with erased intents (interface/log-verifying#erased-intents)', () => {
  it('verifies, and says what rests on them', () => {
    const { told, summary } = verified(text);
    expect(told).toEqual([]);
    const entries = Draft.of(text).lines.filter(
      ({ line, intent }) => line === 'entry' && Object.values(erased).includes(intent),
    );
    const movements = entries.filter((entry) => entry.availableBy !== 0 || entry.reservedBy !== 0).length;
    expect(movements).toBeGreaterThan(10);
    expect(summary.erasedIntents).toMatchObject({
      intents: 8,
      movements,
      limits: 3,
      net: { usd: 7 },
      unjudged: 1,
      uncompared: 1,
    });
    expect(summary.checked.join()).not.toContain('none below its minimum');
    expect(summary.unchecked.join()).toContain('The minimum balances of 1 wallets: erased intents may have set them.');
    expect(summary.erasedIntents!.moved.map(([luid]) => luid)).toContain(erased.transfer);
    expect(summary.unchecked.join()).toContain(
      `What 8 intents whose texts were erased were for: ${movements} movements and 3 limits rest on them, which bring in 7 usd in sum.`,
    );
    expect(summary.checked.join()).toContain('Every movement that was noted, but those of erased intents,');
    expect(text).not.toContain(SECRET_NAME);
  });

  it('tells what they bring in, so that one shows which was made up for who has too much', () => {
    const draft = Draft.of(text);
    raise(draft, { intent: erased.rejected!, change: 2 });
    const { findings, summary } = verified(draft.text());
    expect(findings).toEqual([]);
    expect(summary.erasedIntents!.net).toEqual({ usd: 12 });
  });
});

describe('movements that are put down to erased intents', () => {
  const entriesOf = (draft: Draft, name: string): DraftLine[] =>
    draft.lines.filter(({ line, intent }) => line === 'entry' && intent === erased[name]);
  const after = (alter: (draft: Draft) => void) => {
    const draft = Draft.of(text);
    alter(draft);
    return found(draft).join('; ');
  };

  it.each<[title: string, alter: (draft: Draft) => void, detail: string]>([
    [
      'of an intent that is there',
      (draft) => {
        const [entry] = draft.lines.filter(
          ({ line, intent }) => line === 'entry' && !Object.values(erased).includes(intent),
        );
        entry.intent = erased.rejected;
      },
      'and no movement is noted',
    ],
    [
      'at a change after its end',
      (draft) => raise(draft, { intent: erased.rejected!, change: 99 }),
      'has a movement noted, and was erased by change',
    ],
    [
      'at a third change',
      (draft) => raise(draft, { intent: erased.transfer!, change: 1 }),
      'has movements noted at 3 changes',
    ],
    [
      'a second time',
      (draft) => raise(draft, { intent: erased.issue!, change: entriesOf(draft, 'issue')[0].change }),
      'has two movements noted of one wallet at one change',
    ],
    [
      'that reserve nothing first',
      (draft) => raise(draft, { intent: erased.issue!, change: 1 }),
      'that reserves nothing, before its last one',
    ],
    [
      'that stay reserved',
      (draft) => {
        // The last of the wallet that still has it reserved: what follows goes, too.
        const [entry] = entriesOf(draft, 'released');
        const all = draft.lines.filter(({ line, wallet }) => line === 'entry' && wallet === entry.wallet);
        draft.lines = draft.lines.filter((one) => !all.includes(one) || one.version <= entry.version);
        draft.header.entries = draft.lines.filter(({ line }) => line === 'entry').length;
      },
      'is erased, and leaves 9 reserved of usd in',
    ],
    [
      'with another balance than they give',
      (draft) => {
        const [entry] = entriesOf(draft, 'issue');
        entry.availableBy += 1;
      },
      'to another amount than its sum',
    ],
    [
      'that were left out',
      (draft) => {
        const gone = entriesOf(draft, 'issue');
        draft.lines = draft.lines.filter((one) => !gone.includes(one));
        draft.header.entries -= gone.length;
      },
      'is movement ',
    ],
  ])('are found: %s', (_, alter, detail) => {
    expect(after(alter)).toContain(detail);
  });

  it('lie in no wallet but those of the ledger', () => {
    const draft = Draft.of(text);
    raise(draft, { intent: erased.rejected!, change: 2 });
    const last = draft.lines.findLast(({ line }) => line === 'entry');
    noteOf(draft, { ...last, wallet: '$wlt.-ghost', intent: erased.rejected, change: 2 }, -5);
    expect(found(draft)).toEqual(['has a movement of usd noted in $wlt.-ghost, which is not a wallet of the ledger']);
  });

  it('leave nothing in a wallet whose balance is not stated', () => {
    const draft = Draft.of(text);
    raise(draft, { intent: erased.rejected!, change: 2 });
    noteOf(draft, { ...goneOf(draft), intent: erased.rejected, change: 2 }, -5);
    hideBalance(draft);
    expect(found(draft)).toEqual(['is left with -5 available and 0 reserved of usd, and has no balance']);
  });

  it('hide no debit of a living wallet behind one that is erased', () => {
    const draft = Draft.of(text);
    const debit = draft.lines.findLast(
      ({ line, reservedBy, availableBy }) => line === 'entry' && reservedBy === 1 && availableBy === -1,
    );
    const balance = draft.lines.find(({ line, wallet }) => line === 'balance' && wallet === debit.wallet);
    expect(balance.version).toBe(debit.version);
    balance.version -= 1;
    balance.available.amount += 1;
    balance.reserved.amount -= 1;
    const { wallet, version, available, reserved } = goneOf(draft);
    Object.assign(debit, { wallet, version: version + 1, available: available - 1, reserved: (reserved ?? 0) + 1 });
    // Movements stand by wallets: those of the erased one must come before it.
    draft.lines = draft.lines.filter((line) => line !== debit);
    draft.lines.splice(draft.lines.findLastIndex(({ line }) => line === 'entry') + 1, 0, debit);
    hideBalance(draft);
    expect(found(draft)).toContain('is left with -1 available and 1 reserved of usd, and has no balance');
  });

  it('leave no wallet below its minimum, and take nothing that was not reserved', () => {
    const draft = Draft.of(text);
    const moment = '2999-01-01T00:00:00.000Z';
    const [alice, bob] = ['alice', 'bob'].map((handle) => walletOf(draft, handle));
    const made = { intent: erased.rejected!, change: 2, moment };
    noteMovement(draft, { ...made, wallet: bob!, availableBy: 5_000 });
    const single = Draft.of(draft.text());
    noteMovement(single, { ...made, wallet: alice!, availableBy: -5_000 });
    expect(found(single)).toEqual(['takes usd from alice that was not reserved']);
    noteMovement(draft, { ...made, wallet: alice!, change: 1, availableBy: -5_000, reservedBy: 5_000 });
    noteMovement(draft, { ...made, wallet: alice!, availableBy: 0, reservedBy: -5_000 });
    expect(found(draft)).toEqual(['leaves -4061 usd in alice, below its minimum of 0']);
  });

  it('undo no payment of a living wallet by one that is erased', () => {
    const draft = Draft.of(text);
    const { wallet } = goneOf(draft);
    const [credit] = movementsIn(draft, walletOf(draft, 'gone'));
    const debits = movementsIn(draft, walletOf(draft, 'alice')).filter(({ intent }) => intent === credit.intent);
    for (const one of [credit, ...debits]) moveTo(draft, one, wallet);
    const { told, summary } = verified(draft.text());
    expect(told).toEqual([
      `wallet ${walletOf(draft, 'alice')}: has 941 available and 1 reserved of usd, where the proofs of intents give 939 and 1`,
    ]);
    // The handle of the other was that of the erased one.
    expect(summary.erasedIntents).toMatchObject({ net: { usd: 7 }, uncompared: 1 });
  });

  it('set a minimum from then on, and not before', () => {
    const draft = Draft.of(text);
    for (const entry of entriesOf(draft, 'limit')) entry.moment = '2999-01-01T00:00:00.000Z';
    expect(found(draft).join()).toMatch(/leaves -\d+ usd in carol, below its minimum of 0/);
  });

  it.each([
    ['no moment', { moment: 'once' }, "noted at change 1 and 'once'"],
    ['no change', { change: 0 }, 'noted at change 0 and'],
  ])('are found where they have %s', (_, altered, detail) => {
    const draft = Draft.of(text);
    const last = draft.lines.findLast(({ line }) => line === 'entry');
    noteOf(draft, { ...last, ...goneOf(draft), intent: erased.rejected, change: 1, ...altered }, 0);
    expect(found(draft).join('; ')).toContain(detail);
  });

  it('set no limit of which nothing is noted, and none that was set before', () => {
    const draft = Draft.of(text);
    for (const entry of entriesOf(draft, 'limit')) entry.moment = '2001-01-01T00:00:00.000Z';
    expect(found(draft)).toEqual([
      expect.stringMatching(/^has a limit m(in|ax)Balance of usd that no intent has set last$/),
      expect.stringMatching(/^has a limit m(in|ax)Balance of usd that no intent has set last$/),
    ]);
  });
});

describe('a limit that is no row of one', () => {
  it.each<[title: string, alter: (row: DraftLine) => unknown, detail: string]>([
    ['null', () => null, 'is not a record'],
    ['a text', () => 'limit', 'is not a record'],
    ['without data', ({ data: _, ...row }) => row, 'is not a record'],
    ['half of a character', (row) => ({ ...row, data: { ...row.data, more: '\ud800' } }), 'its ledger has not signed'],
    [
      'a second proof that is null',
      (row) => ({ ...row, meta: { ...row.meta, proofs: [...row.meta.proofs, null] } }),
      'is not a record',
    ],
  ])('is found: %s', (_, alter, detail) => {
    const draft = Draft.of(text);
    const limit = draft.lines.find(({ line }) => line === 'limit');
    limit.text = JSON.stringify(alter(JSON.parse(limit.text)));
    expect(found(draft)).toEqual([`has a limit ${limit.metric} of usd that ${detail}`]);
  });
});

describe('intents that somebody calls erased', () => {
  it('are found where no statement is there', async () => {
    const draft = Draft.of(text);
    const statement = draft.changes.find(({ luid, action }) => luid === erased.issue && action === 'erase');
    draft.remove([statement]);
    await draft.reseal(key);
    expect(found(draft)).toContain('has changes without a text, and none that says they were erased');
  });

  it('are found where they are still under way', () => {
    const draft = Draft.of(text);
    const open = draft.lines.find(({ line }) => line === 'open');
    open.luid = erased.transfer;
    expect(found(draft)).toContain('is not an intent under way');
  });
});

/** The luid of the living wallet of a handle. */
function walletOf(draft: Draft, handle: string): string {
  const wallets = draft.changes.filter(({ kind, text }) => kind === 'wallet' && text !== null);
  return wallets.find(({ text }) => JSON.parse(text).data.handle === handle)?.luid;
}

/** The last movement of the wallet that is erased. */
function goneOf(draft: Draft): DraftLine {
  const { luid } = draft.changes.find(({ kind, text }) => kind === 'wallet' && text === null);
  return draft.lines.findLast(({ line, wallet }) => line === 'entry' && wallet === luid);
}

/** Leaves out what the wallet that is erased is left with. */
function hideBalance(draft: Draft): void {
  const { wallet } = goneOf(draft);
  draft.lines = draft.lines.filter((one) => one.line !== 'balance' || one.wallet !== wallet);
}

/** Notes a movement behind all: it follows from the last one of its wallet. */
function noteOf(draft: Draft, entry: DraftLine, availableBy: number): void {
  const all = draft.lines.filter(({ line }) => line === 'entry');
  const before = all.findLast(({ wallet, symbol }) => wallet === entry.wallet && symbol === entry.symbol);
  const available = (before?.available ?? 0) + availableBy;
  const noted = { ...entry, version: (before?.version ?? 0) + 1, availableBy, reservedBy: 0, available };
  if ('reserved' in entry) noted.reserved = before?.reserved ?? 0;
  draft.lines.splice(draft.lines.indexOf(all.at(-1)) + 1, 0, noted);
  draft.header.entries += 1;
}

/** Gives bob 5 more, as if an intent had; chain and balance fit. */
function raise(draft: Draft, { intent, change }: { intent: string; change: number }): void {
  const bob = draft.lines.find(({ line, intent }) => line === 'entry' && intent === erased.issue).wallet;
  const last = draft.lines.findLast(({ line, wallet }) => line === 'entry' && wallet === bob);
  const { available, version, moment, symbol, reserved } = last;
  const more = { line: 'entry', wallet: bob, symbol, version: version + 1, intent, change };
  const moved = { availableBy: 5, reservedBy: 0, available: available + 5, moment };
  const entry = { ...last, ...more, ...moved, ...(reserved === undefined ? {} : { reserved }) };
  draft.lines.splice(draft.lines.indexOf(last) + 1, 0, entry);
  draft.header.entries += 1;
  const balance = draft.lines.find(({ line, wallet }) => line === 'balance' && wallet === bob);
  balance.version += 1;
  balance.available.amount += 5;
}
