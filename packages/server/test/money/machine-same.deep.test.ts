import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { step as next } from '../../src/money/machine.js';
import type { IntentState, Side } from '../../src/money/model.js';
import { ACCEPTED, step } from '../../src/money/steps/step.js';
import { everyEvent, makePlan } from './step-plans.js';

const CALLS: readonly (readonly [Side, string])[] = [
  ['debit', 'a'],
  ['credit', 'a'],
  ['debit', 'b'],
  ['credit', 'b'],
];

const subsets = Array.from({ length: 2 ** CALLS.length }, (_, bits) => CALLS.filter((_, at) => bits & (1 << at)));
const shapes = subsets.flatMap((parts) =>
  Array.from({ length: 8 }, (_, bits) => ({
    parts,
    isForward: (bits & 1) > 0,
    isManual: (bits & 2) > 0,
    forwards: (bits & 4) > 0,
  })),
);
const alone = (['issue', 'limit'] as const).flatMap((action) =>
  [true, false].flatMap((isManual) => [true, false].map((isForward) => ({ parts: [], action, isManual, isForward }))),
);

/** A plain record to compare: custom members in their order, as they are signed. */
const text = (value: unknown) => JSON.stringify(value);

it('the table and the function say the same of every event in every state', () => {
  let steps = 0;
  for (const shape of [...shapes, ...alone]) {
    const plan = makePlan(shape);
    const found = new Map<string, IntentState>([[text(ACCEPTED), ACCEPTED]]);
    for (const state of found.values()) {
      for (const event of everyEvent(plan)) {
        steps += 1;
        const old = step(state, event);
        const made = next(state, event);
        const effects = old.effects.filter(({ type }) => type !== 'tell-thread');
        const isSame =
          isDeepStrictEqual(made.state, old.state) &&
          text(made.effects) === text(effects) &&
          (made.state === state) === (old.state === state);
        if (!isSame) expect.fail(text([plan, state, event, old, made]));
        const key = text(old.state);
        if (!found.has(key)) found.set(key, old.state);
      }
    }
  }
  expect(steps).toBeGreaterThan(100_000);
});
