import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@countersign/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkBooks } from '../money/invariants.js';
import { checkReplay } from '../money/replay.js';
import { transfer } from '../money/scene.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { seed } from '../support/seed.js';
import { JoinedLedgers, PATIENCE } from './joined-ledgers.js';
import { STEPS } from './mirror-process.js';
import { FAULTS, type Fault, Wires } from './wires.js';

/** Sequences in all, and at a time, each with a symbol of its own. */
const SEQUENCES = process.env.LONG_TESTS ? 300 : 6;
const TOGETHER = process.env.LONG_TESTS ? 15 : 6;

/** Transfers between wallets here, where `far` holds the accounts there, or between accounts there. */
interface Sent {
  readonly at: 'here' | 'there';
  readonly claims: readonly (readonly [from: string, to: string, amount: number])[];
  /** What a signer decides of one that is held. */
  readonly decides?: 'commit' | 'abort';
}

interface Sequence {
  /** Sent one after the other, or at the same time. */
  readonly sent: readonly Sent[];
  readonly isAtOnce: boolean;
  /** What the calls to the bridge suffer, in their order. */
  readonly faults: readonly Fault[];
}

const amount = fc.integer({ min: 1, max: 40 });
const local = fc.constantFrom('alice', 'bob');
const far = fc.constantFrom('account:x@far', 'account:y@far');
const claim = fc.oneof(
  { arbitrary: fc.tuple(local, far, amount), weight: 4 },
  { arbitrary: fc.tuple(far, local, amount), weight: 2 },
  { arbitrary: fc.tuple(far, far, amount), weight: 2 },
);
const sent: fc.Arbitrary<Sent> = fc.oneof(
  { arbitrary: fc.record({ at: fc.constant('here' as const), claims: claims(claim) }), weight: 6 },
  {
    arbitrary: fc.record({
      at: fc.constant('here' as const),
      claims: claims(claim),
      decides: fc.constantFrom('commit' as const, 'abort' as const),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({ at: fc.constant('there' as const), claims: claims(fc.tuple(account(), account(), amount)) }),
    weight: 1,
  },
);
const fault = fc.oneof(
  { arbitrary: fc.constant('none' as const), weight: 6 },
  { arbitrary: fc.constantFrom(...FAULTS), weight: 6 },
);
const sequence: fc.Arbitrary<Sequence> = fc.record({
  sent: fc.array(sent, { minLength: 2, maxLength: 6 }),
  isAtOnce: fc.boolean(),
  faults: fc.array(fault, { maxLength: 20 }),
});

function account() {
  return fc.constantFrom('x', 'y');
}

function claims<T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(one, { minLength: 1, maxLength: 2 });
}

/** The faults still to come, by symbol. */
const faults = new Map<string, Fault[]>();
const wires = new Wires((text) => faults.get(/"symbol":\{"handle":"(s-\d+)"/.exec(text)?.[1] ?? '')?.shift() ?? 'none');
let database: TestDatabase;
let joined: JoinedLedgers;

beforeAll(async () => {
  database = await createMigratedDatabase();
  await wires.start();
  joined = await JoinedLedgers.make(database.url, wires);
});

afterAll(async () => {
  await joined.stop();
  await wires.stop();
  await database.drop();
});

async function follow(symbol: string, { sent, isAtOnce, faults: drawn }: Sequence): Promise<string[]> {
  faults.set(symbol, [...drawn]);
  const handles: string[] = [];
  const send = async ({ at, claims, decides }: Sent, index: number) => {
    const handle = `${symbol}-${index}`;
    const data: JsonObject = {
      handle,
      claims: claims.map(([from, to, amount]) => transfer(from, to, amount, symbol)),
      ...(decides ? { config: { commit: 'manual' } } : {}),
    };
    await joined.send(at, data);
    if (at === 'there') return;
    handles.push(handle);
    if (isAtOnce && !decides) return;
    await untilOver(handle, decides);
  };
  if (isAtOnce) await Promise.all(sent.map(send));
  else for (const [index, one] of sent.entries()) await send(one, index);
  return handles;
}

/** Waits until an intent is final, and decides on it when it is held. Calls that were given up are made again. */
async function untilOver(handle: string, decides?: 'commit' | 'abort'): Promise<void> {
  const late = performance.now() + PATIENCE;
  for (let looked = 1; ; looked += 1) {
    const status = await joined.statusOf(handle);
    if (status === 'completed' || status === 'rejected') return;
    if (status === 'prepared' && decides) await joined.decide(handle, decides);
    if (looked % 25 === 0) await joined.retry();
    if (performance.now() > late) throw new Error(`${handle} is ${status}: ${await joined.describe(handle)}`);
    await pause(50);
  }
}

it('hold the same on both sides, whatever happens to the bridge and its calls', async () => {
  const sequences = fc.sample(sequence, { seed, numRuns: SEQUENCES });
  const ends = new Map<string, number>();
  // It dies at each step, again and again.
  joined.mirror(
    Array.from({ length: SEQUENCES }, (_, life) => `${STEPS[life % STEPS.length]}:${5 + ((life * 7) % 43)}`),
  );
  for (let at = 0; at < SEQUENCES; at += TOGETHER) {
    const some = sequences.slice(at, at + TOGETHER);
    await Promise.all(some.map((_, index) => joined.addSymbol(`s-${at + index}`, 100)));
    const killing = new Promise((resolve) => setTimeout(resolve, 700)).then(() => joined.killServer());
    const handles = await Promise.all(some.map((one, index) => follow(`s-${at + index}`, one)));
    await killing;
    for (const handle of handles.flat()) {
      await untilOver(handle);
      const status = await joined.statusOf(handle);
      ends.set(status, (ends.get(status) ?? 0) + 1);
    }
    for (const [index, one] of some.entries()) {
      await eventually(() => joined.compare(`s-${at + index}`)).catch((error) => {
        throw new Error(`TEST_SEED=${seed} s-${at + index}: ${JSON.stringify(one)}: ${error.message}`);
      });
    }
  }
  await joined.stop();
  await checkBooks(database.url);
  await checkReplay(database.url);
  if (process.env.LONG_TESTS)
    console.info({ SEQUENCES, ...Object.fromEntries(ends), ...Object.fromEntries(wires.seen) });
  expect(ends.get('completed')).toBeGreaterThan(SEQUENCES);
  expect(ends.get('rejected')).toBeGreaterThan(SEQUENCES / 4);
});
