import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withOwnServer } from '../support/server.js';
import { reportWell, verbOf, withBridges } from './bridge.js';
import { bridgedScene, shortTrail } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { issue, limit, type MoneyScene, transfer } from './scene.js';
import { failureOf } from './under-way.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridges = withBridges('bank', 'other');
const { bank, other } = bridges;

const GREATEST = Number.MAX_SAFE_INTEGER;
const MANUAL = { config: { commit: 'manual' } };

beforeEach(() => {
  bank.reset();
  other.reset();
});
afterEach(() => checkBooks(server.current.database.url));

const scene = () => bridgedScene(server.current.url, bridges);

async function decide(money: MoneyScene, handle: string, action: 'commit' | 'abort'): Promise<void> {
  const answer = await money.client.prove(`/intents/${handle}`, await money.read(handle), { action });
  expect(answer.status, answer.text).toBe(200);
}

const beyond = (after: number | string, most: number, wallet: string) => ({
  status: 'failed',
  reason: 'core.limit-exceeded',
  detail: `Amount ${after} is greater than maximum allowed amount ${most} for wallet ${wallet}, symbol usd, schema available`,
});

describe('credits in flight', () => {
  it('end, when a balance has no room for them any more', async () => {
    const money = await scene();
    const handles = [
      await money.intend([issue('bob', GREATEST)], MANUAL),
      await money.intend([issue('bob', GREATEST)], MANUAL),
    ];
    for (const handle of handles) await decide(money, handle, 'commit');
    await money.ends(handles[0]!, 'completed');
    const late = await money.ends(handles[1]!, 'rejected');
    expect(failureOf(late)).toEqual(beyond('18014398509481982', GREATEST, 'bob'));
    expect(await money.balance('bob')).toEqual([GREATEST, 0]);
  });

  it('give back what they reserved, and bridges abort: nothing stays with an intent that cannot commit', async () => {
    const money = await scene();
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
    const handle = await money.intend([transfer('alice', 'acc', 5)]);
    await bank.until('prepare credits');
    await money.issue('acc', GREATEST - 1_000);
    await bank.say(bank.only('prepare credits'), { status: 'prepared' });
    const ended = await money.ends(handle, 'rejected');
    expect(failureOf(ended)).toEqual(beyond('9007199254740996', GREATEST, 'acc'));
    expect(await shortTrail(money, handle)).toEqual([
      ...['system resolved debit', 'system resolved credit', 'core prepared debit', 'core prepared credit'],
      ...['bank prepared', 'system failed', 'system aborted', 'core aborted debit', 'core aborted credit'],
      ...['bank aborted', 'system rejected'],
    ]);
    expect([await money.balance('alice'), await money.balance('acc')]).toEqual([
      [1_000, 0],
      [GREATEST, 0],
    ]);
  });

  it('leave room for what is reserved, which may come back', async () => {
    const money = await scene();
    const spent = await money.intend([transfer('alice', 'bob', 1_000)], MANUAL);
    const paid = await money.intend([issue('alice', GREATEST - 1_000)], MANUAL);
    await money.issue('alice', 1);
    await decide(money, paid, 'commit');
    expect(failureOf(await money.ends(paid, 'rejected'))).toEqual(beyond('9007199254740992', GREATEST, 'alice'));
    await decide(money, spent, 'abort');
    await money.ends(spent, 'rejected');
    expect(await money.balance('alice')).toEqual([1_001, 0]);
  });

  it('together do not pass maxBalance, whichever arrives first', async () => {
    const money = await scene();
    await money.done([limit('acc', 'maxBalance', 1_010)]);
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
    const handles: string[] = [];
    for (const amount of [4, 5, 6]) handles.push(await money.intend([transfer('alice', 'acc', amount)]));
    const calls = await bank.until(...handles.map(() => 'prepare credits'));
    const prepares = handles.map((handle) => calls.find(({ body }) => body.data.intent.data.handle === handle)!);
    await bank.say(prepares[2]!, { status: 'prepared' });
    await money.ends(handles[2]!, 'completed');
    await bank.say(prepares[1]!, { status: 'prepared' });
    expect(failureOf(await money.ends(handles[1]!, 'rejected'))).toEqual(beyond(1_011, 1_010, 'acc'));
    await bank.say(prepares[0]!, { status: 'prepared' });
    await money.ends(handles[0]!, 'completed');
    expect([await money.balance('alice'), await money.balance('acc')]).toEqual([
      [990, 0],
      [1_010, 0],
    ]);
  });

  it('that are held for a signer can count on their commit', async () => {
    const money = await scene();
    const handle = await money.intend([transfer('alice', 'bob', 6)], MANUAL);
    await money.done([limit('bob', 'maxBalance', 5)]);
    await decide(money, handle, 'commit');
    await money.ends(handle, 'completed');
    expect(await money.balance('bob')).toEqual([6, 0]);
  });

  it('that are sent on fail with their whole thread', async () => {
    const money = await scene();
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
    const handle = await money.intend([transfer('alice', 'fwd', 5)]);
    const [call] = await bank.until('prepare credits');
    await money.done([limit('acc', 'maxBalance', 1_004)]);
    await bank.say(call!, { status: 'prepared' });
    const said = failureOf(await money.ends(handle, 'rejected'));
    expect(said).toEqual(beyond(1_005, 1_004, 'acc'));
    expect(failureOf(await money.ends(call!.body.data.intent.data.handle, 'rejected'))).toEqual(said);
    expect([await money.balance('alice'), await money.balance('fwd')]).toEqual([
      [1_000, 0],
      [0, 0],
    ]);
  });
});
