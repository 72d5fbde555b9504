import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inSession, OutOfDate } from '../../src/ledgers/session.js';
import { Settler } from '../../src/money/settler.js';

// biome-ignore lint/suspicious/noExplicitAny: no more of them than a settler asks for
type Any = any;

function settler(results: Any[] = [], sign = async () => {}) {
  const means: Any = {
    load: async () => ({ balances: [], limits: [] }),
    homes: { take: async () => ({ moment: new Date(0).toISOString(), isMoved: false }) },
    store: () =>
      new Promise((resolve) => {
        const next = results.shift() ?? { isStored: true, isHome: true, isBalanced: true, outcomes: [] };
        setImmediate(() => resolve(next));
      }),
    holder: 'me',
    signing: { sign },
    clock: () => performance.now(),
    now: () => Date.now(),
    newLuid: () => '$wbl.x',
    accepted() {},
    queued() {},
    metrics: { settled() {}, redone() {}, movedHome() {} },
  };
  return new Settler(1, means);
}

let made = 0;
function item(version = 1): Any {
  made += 1;
  return {
    session: { ledger: { id: 1, version }, task: { abandonment() {}, mustFinish() {} } },
    luid: `i${made}`,
    key: `k${made}`,
    prepare: async () => ({ places: [], decide: async () => {} }),
    accept: async () => {},
  };
}

const late = () => pause(300).then(() => 'never answered');

it.each(Array.from({ length: 12 }, (_, ticks) => ticks))(
  'an intent that comes %i turns after an answer is decided on',
  async (ticks) => {
    const one = settler();
    await one.decide(item());
    for (let turn = 0; turn < ticks; turn += 1) await undefined;
    const answer = await Promise.race([one.decide(item()), late()]);
    expect(answer).toMatchObject({ result: 'done' });
  },
);

it('one that is decided anew at once, as `processIntents` does, is answered', async () => {
  const blocked = { isStored: false, isHome: true, isBalanced: false, outcomes: [] };
  // It stays blocked so often that it is tired: `stale`, on the version that its session has.
  const one = settler(Array.from({ length: 10 }, () => blocked));
  const ledger = { id: 1, version: 1 };
  const given: Any = {
    runtime: { now: Date.now },
    requestTimeout: 60_000,
    ledger,
    ledgers: { renew: async (stale: Any) => stale },
    store: {},
    service: {},
  };
  const done = inSession(given, async () => {
    const { result, version } = await one.decide(item());
    if (result !== 'done') throw new OutOfDate(version);
    return 'done';
  });
  expect(await Promise.race([done, late()])).toBe('done');
});

it('goes on after signing has failed, and leaves nobody without an answer', async () => {
  let fails = true;
  const one = settler([], async () => {
    if (fails) throw new Error('no signature');
  });
  const failed = await Promise.allSettled(Array.from({ length: 20 }, () => one.decide(item())));
  expect(failed.map(({ status }) => status)).toEqual(Array(20).fill('rejected'));
  fails = false;
  expect(await Promise.race([one.decide(item()), late()])).toMatchObject({ result: 'done' });
});
