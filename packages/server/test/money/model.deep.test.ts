import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { auditLogs } from '../log/audit.js';
import { seed } from '../support/seed.js';
import { checkBooks } from './invariants.js';
import { Course, makeLedger } from './model/course.js';
import { Deployment, type Disturbed } from './model/deployment.js';
import { type Kind, type Phase, PROCESS_FAULTS, type Round, round } from './model/draws.js';
import { LINE_FAULTS, type LineFault } from './model/line.js';
import { apply, type Claim, explain, NOTHING, type World } from './model/plain-model.js';
import { checkReplay } from './replay.js';

const ROUNDS = process.env.LONG_TESTS ? 200 : 2;
/** A database is left for another one after so many. */
const IN_A_DATABASE = 10;
/** Of a round that has failed: it is repeated alone, and made as short as can be. */
const PATH = process.env.TEST_PATH;

let deployment: Deployment | undefined;
let rounds = 0;
const disturbed: Disturbed = new Map();

afterAll(leave);

async function leave(): Promise<void> {
  const left = deployment;
  deployment = undefined;
  await left?.stop();
}

/** Follows sequences at the same time, while all that a round has disturbs them. @throws what was wrong with the first */
async function follow({ disturbances, sequences }: Round): Promise<void> {
  deployment ??= await Deployment.start(disturbed);
  const of = deployment;
  const ledger = await makeLedger(of);
  rounds += 1;
  const courses = sequences.map((phases, at) => ({ phases, course: new Course(of, ledger, `r${rounds}-${at}`) }));
  const each = (act: (course: Course, phases: readonly Phase[]) => Promise<void>) =>
    settle(courses.map(({ course, phases }) => act(course, phases)));
  await each((course) => course.makeWallets());
  for (const [at, disturbance] of disturbances.entries()) {
    const end = of.disturb(disturbance);
    await each((course, phases) => course.follow(phases[at]!));
    await end();
  }
  await of.rest();
  await each((course) => course.compare());
  await checkBooks(of.database.url);
  await checkReplay(of.database.url);
  await auditLogs(of.database.url);
}

/** Waits for all of them. @throws what the first that fails throws */
async function settle(all: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(all);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

const property = fc.asyncProperty(round, async (one) => {
  try {
    await follow(one);
  } catch (error) {
    // Nobody knows what state it is in.
    await leave();
    throw error;
  }
  if (rounds % IN_A_DATABASE === 0) await leave();
});

describe('two processes, whatever happens to them, do with intents what a plain model does', () => {
  const paths = PATH ? [PATH] : Array.from({ length: ROUNDS }, (_, number) => String(number));
  it.each(paths)(
    'round %s',
    async (path) => {
      const options = { seed, path, numRuns: 1, endOnFailure: !PATH };
      const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, options);
      if (!failed) return;
      const kinds = counterexample?.[0].disturbances.map(({ kind }) => kind);
      console.error(`Repeat it alone: TEST_SEED=${seed} TEST_PATH=${counterexamplePath} (${kinds})`);
      throw errorInstance;
    },
    PATH ? 3_600_000 : undefined,
  );

  // Else nothing was shown.
  it.skipIf(PATH)('what happened has reached answers, questions and leaders', () => {
    if (process.env.LONG_TESTS) console.info(disturbed);
    const sum = (kinds: readonly Kind[]) => kinds.reduce((all, kind) => all + (disturbed.get(kind) ?? 0), 0);
    expect(sum(PROCESS_FAULTS)).toBeGreaterThan(0);
    expect(sum(Object.keys(LINE_FAULTS) as LineFault[])).toBeGreaterThan(0);
    expect(sum(['leaders lost'])).toBeGreaterThan(0);
  });
});

it('the model itself overdraws nothing', () => {
  const at = (claims: Claim[]) => apply(NOTHING, { claims, isPermitted: true }, 0).result;
  expect(at([{ action: 'transfer', source: 'a', target: 'b', amount: 1 }])).toBe('rejected');
  expect(at([{ action: 'issue', target: 'forwards', amount: 1 }])).toBe('completed');
  const full: World = {
    balances: new Map([['b', 5n]]),
    limits: new Map([['b maxBalance', { amount: 5n, day: 0, used: 0n }]]),
  };
  const back = (target: string) => ({ action: 'transfer' as const, source: 'b', target, amount: 1 });
  expect(apply(full, { claims: [back('b')], isPermitted: true }, 0).result).toBe('rejected');
  // It comes back by an intent of its own, which finds room.
  expect(apply(full, { claims: [back('forwards')], isPermitted: true }, 0).result).toBe('completed');
});

it('the model finds every order of a crowd, and none for more than it has', () => {
  const take = { claims: [{ action: 'destroy', source: 'a', amount: 2 }], isPermitted: true } as const;
  const has: World = { balances: new Map([['a', 5n]]), limits: new Map() };
  const told = (completed: number) =>
    Array.from({ length: 8 }, (_, one) => ({ ...take, result: one < completed ? 'completed' : 'rejected' }) as const);
  expect(explain(has, told(2), 0).map(({ balances }) => balances.get('a'))).toEqual([1n]);
  expect(explain(has, told(1), 0)).toEqual([]);
  expect(explain(has, told(3), 0)).toEqual([]);
});
