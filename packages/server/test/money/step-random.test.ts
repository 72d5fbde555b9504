import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Plan } from '../../src/money/plan/plan.js';
import { check, checked } from './step-checks.js';
import { everyEvent, goodEvents, makePlan, type Shape } from './step-plans.js';
import { begin, type Run, say } from './step-run.js';
import '../support/seed.js';

const RUNS = process.env.LONG_TESTS ? 100_000 : 1_000;

const shapes: fc.Arbitrary<Shape> = fc.record({
  parts: fc.array(fc.tuple(fc.constantFrom('debit', 'credit'), fc.constantFrom('a', 'b', 'c')), { maxLength: 5 }),
  isForward: fc.boolean(),
  isManual: fc.boolean(),
  forwards: fc.boolean(),
});

/** Several parts of one side and bridge become one, as a group with a handle of its own. */
const plans: fc.Arbitrary<Plan> = fc.tuple(shapes, fc.boolean()).map(([shape, isGrouped]) => {
  const plan = makePlan(shape);
  if (!isGrouped) return plan;
  const sides = [...new Set(plan.parts.map(({ side, bridge }) => `${side} ${bridge}`))];
  const parts = sides.map((key) => {
    const [part, ...more] = plan.parts.filter(({ side, bridge }) => `${side} ${bridge}` === key);
    if (more.length === 0) return part!;
    return {
      ...part!,
      handle: `${part!.side}_${part!.bridge}`,
      entries: [part!, ...more].flatMap((one) => one.entries),
    };
  });
  return { ...plan, parts };
});

/** What clients say of themselves, which is not the ledger's to follow. */
const LIES = [
  { status: 'prepared' },
  { status: 'committed', detail: 'awaiting-clearance' },
  { status: 'completed' },
  { status: 'aborted' },
  { status: 'rejected' },
  { status: 'failed', reason: 'core.unexpected-error', detail: 'no' },
  { status: 'error', reason: 'core.bridge-unreachable', detail: 'no' },
  { handle: 'cre_of-another', schema: 'credit', status: 'prepared' },
];

/** Mostly what brings it on, else anything; numbers choose. */
const choices = fc.array(fc.tuple(fc.nat(9), fc.nat(1_000)), { maxLength: 40 });

function next(run: Run, [way, choice]: [number, number]): Run {
  if (way === 0) return say(run, LIES[choice % LIES.length]!);
  const good = goodEvents(run.state, run.plan);
  const events = way < 8 && good.length > 0 ? good : everyEvent(run.plan);
  return checked(run, events[choice % events.length]!);
}

it('whatever happens, in any order, keeps the rules of intents', () => {
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(plans, choices, (plan, chosen) => {
      const run = chosen.reduce(next, begin(plan));
      check(run);
      ends.set(run.state.stage, (ends.get(run.state.stage) ?? 0) + 1);
    }),
    { numRuns: RUNS },
  );
  // A search that never got far would have shown nothing.
  expect(ends.get('completed')).toBeGreaterThan(RUNS / 20);
  expect(ends.get('rejected')).toBeGreaterThan(RUNS / 20);
}, 600_000);
