import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LedgerClock } from '../../src/base/ledger-clock.js';
import { inSession, OutOfDate } from '../../src/ledgers/session.js';
import { Sequencer } from '../../src/money/sequencer.js';
import { sequencerLimits } from '../../src/money/sequencer-limits.js';
import { UNTRACED } from '../../src/tracing/tracing.js';
import { makePlan } from './step-plans.js';

// biome-ignore lint/suspicious/noExplicitAny: no more of them than a sequencer asks for
type Any = any;

function sequencer(results: Any[] = [], more: Any = {}) {
  const deps: Any = {
    load: async () => ({ balances: [], limits: [] }),
    leaders: { acquire: async () => ({ moment: new Date(0).toISOString(), isMoved: false }) },
    store: () =>
      new Promise((resolve) => {
        const next = results.shift() ?? { isStored: true, isLeader: true, outcomes: [] };
        setImmediate(() => resolve(next));
      }),
    holder: 'me',
    drain: { isDraining: false },
    signing: {},
    clock: () => performance.now(),
    moments: new LedgerClock(Date.now),
    newLuid: () => '$wbl.x',
    accepted() {},
    queued() {},
    metrics: { settled() {}, redone() {}, movedLeader() {} },
    ...more,
  };
  return new Sequencer(1, deps);
}

let made = 0;
const session: Any = {
  ledger: { id: 1, version: 1, config: {} },
  integrity: { openMac: () => '' },
  task: { abandonment() {}, mustFinish() {} },
};

function item(): Any {
  made += 1;
  return { session, luid: `i${made}`, key: `k${made}`, goesToLeader: false, plan: async () => [] };
}

/** An intent under way that nothing has happened to. */
function intent(more: Any = {}): Any {
  const state = {
    stage: 'held',
    plan: makePlan({ parts: [], action: 'issue' }),
    parts: [],
    givenUp: [],
    isRouted: true,
  };
  const record = { luid: '$int.i', data: {}, meta: { proofs: [] } };
  const nothing = { versions: [], calls: [], needs: () => [], places: () => [] };
  const input = { open: { row: { version: 1 } } };
  return { session, state, record, input, change: 1, proofCount: 0, ...nothing, ...more };
}

/** Something that is told once, and waited for. */
function signal() {
  let tell = () => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { told, tell: () => tell() };
}

const late = () => pause(10_000, 'never answered', { ref: false });

it.each(Array.from({ length: 12 }, (_, ticks) => ticks))(
  'an intent that comes %i turns after an answer is decided on',
  async (ticks) => {
    const one = sequencer();
    await one.decide(item());
    for (let turn = 0; turn < ticks; turn += 1) await undefined;
    const answer = await Promise.race([one.decide(item()), late()]);
    expect(answer).toMatchObject({ result: 'done' });
  },
);

it('one that is decided anew at once, as `processIntents` does, is answered', async () => {
  const blocked = { isStored: false, isLeader: true, outcomes: [] };
  // It stays blocked so often that it is tired: `stale`, on the version that its session has.
  const one = sequencer(Array.from({ length: 10 }, () => blocked));
  const ledger = { id: 1, version: 1 };
  const given: Any = {
    runtime: { now: Date.now },
    requestTimeout: 60_000,
    ledger,
    ledgers: { renew: async (stale: Any) => stale },
    store: {},
    service: {},
    tracing: UNTRACED,
  };
  const done = inSession(given, async () => {
    const { result, version } = await one.decide(item());
    if (result !== 'done') throw new OutOfDate(version);
    return 'done';
  });
  expect(await Promise.race([done, late()])).toBe('done');
});

it('stores one apart from others that was blocked too often, and the others without it', async () => {
  const batches: string[][] = [];
  const one = sequencer([], {
    async store({ needs }: Any) {
      const names: string[] = needs.map(({ handle }: Any) => handle);
      batches.push(names);
      const isStored = !names.includes('bad');
      return { isStored, isLeader: true, outcomes: [] };
    },
  });
  const named = (name: string): Any => ({
    ...item(),
    key: name,
    plan: async () => [intent({ needs: () => [{ kind: 'wallet', handle: name }] })],
  });
  const others = (from: number) => Array.from({ length: 20 }, (_, at) => one.decide(named(`good-${from + at}`)));
  const first = [one.decide(named('bad')), ...others(0)];
  expect((await first[0])!.result).toBe('stale');
  const begun = batches.length;
  // As its request begins anew, among others that come.
  for (let round = 1; round < 4; round += 1) {
    const [again, ...stored] = await Promise.all([one.decide(named('bad')), ...others(100 * round)]);
    expect([again!.result, ...new Set(stored.map(({ result }) => result))]).toEqual(['stale', 'done']);
  }
  await Promise.all(first);
  const failed = batches.slice(begun).filter((names) => names.includes('bad'));
  expect(failed.length).toBeGreaterThan(3);
  expect(failed.filter((names) => names.length > 1)).toEqual([]);
});

it('stores once what it decided on between the failure of a batch and taking that up', async () => {
  const begun = signal();
  const failed = signal();
  const stored: Any[][] = [];
  const one = sequencer([], {
    async store({ entries }: Any) {
      stored.push(entries);
      if (stored.length > 1) return { isStored: true, isLeader: true, outcomes: [] };
      // The next intent is being prepared: its decision is made once this has failed, on what was read anew.
      await begun.told;
      return { isStored: false, isLeader: true, outcomes: [] };
    },
    metrics: { settled() {}, redone: failed.tell, movedLeader() {} },
  });
  const first = one.decide(item());
  const second = one.decide({
    ...item(),
    async plan() {
      begun.tell();
      await failed.told;
      return [intent({ input: { events: [{ type: 'decided', action: 'commit' }] }, add() {} })];
    },
  });
  expect(await Promise.all([first, second])).toMatchObject([{ result: 'done' }, { result: 'done' }]);
  // Whatever else it decides on is stored before a later one.
  await one.decide(item());
  expect(stored.flat()).toHaveLength(1);
});

it('goes on after signing has failed, and leaves nobody without an answer', async () => {
  let fails = true;
  const signing = {
    async serialize() {
      if (fails) throw new Error('no signature');
      return [];
    },
  };
  const one = sequencer([], { signing });
  const unsigned = () => ({ ...item(), plan: async () => [intent({ versions: [{}], unsigned: () => ({}) })] });
  const failed = await Promise.allSettled(Array.from({ length: 20 }, () => one.decide(unsigned())));
  expect(failed.map(({ status }) => status)).toEqual(Array(20).fill('rejected'));
  fails = false;
  expect(await Promise.race([one.decide(unsigned()), late()])).toMatchObject({ result: 'done' });
});

it('keeps a batch in its books before those are read anew with a new lead', async () => {
  const sent = signal();
  const release = signal();
  let now = 0;
  const order: string[] = [];
  const one = sequencer([], {
    clock: () => now,
    async load() {
      order.push('load');
      return { balances: [], limits: [] };
    },
    async store() {
      sent.tell();
      await release.told;
      order.push('stored');
      return { isStored: true, isLeader: true, outcomes: [] };
    },
  });
  const reading = () => ({ ...item(), plan: async () => [intent({ places: () => [{ wallet: 'w', symbol: 's' }] })] });
  const first = one.decide(reading());
  await sent.told;
  now += sequencerLimits.lease;
  const second = one.decide(reading());
  await pause(10);
  release.tell();
  await Promise.all([first, second]);
  expect(order).toEqual(['load', 'stored', 'load', 'stored']);
});

it('reads again what an intent rests on that is blocked twice, though a handle was taken in its batch', async () => {
  let loads = 0;
  const one = sequencer([], {
    async load() {
      loads += 1;
      return { balances: [], limits: [] };
    },
    async store() {
      const isStored = loads > 1;
      return { isStored, isLeader: true, outcomes: isStored ? [] : [{ result: 'duplicated', version: 1 }] };
    },
  });
  const plan = async () => [intent({ places: () => [{ wallet: 'w', symbol: 's' }] })];
  expect(await one.decide({ ...item(), plan })).toMatchObject({ result: 'done' });
});

it('rejects all with a defect that comes after a commit, and leaves no rejection unhandled', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const failed = signal();
  const planned = signal();
  const metrics = {
    settled() {
      failed.tell();
      throw new Error('defect');
    },
  };
  const one = sequencer([], { metrics });
  const first = one.decide(item());
  const second = one.decide({
    ...item(),
    async plan() {
      await planned.told;
      return [];
    },
  });
  await failed.told;
  await pause(10);
  planned.tell();
  const answers = await Promise.allSettled([first, second]);
  process.off('unhandledRejection', note);
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(unhandled).toEqual([]);
});
