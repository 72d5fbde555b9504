import { describe, expect, it } from 'vitest';
import type { Side } from '../../src/money/plan/plan.js';
import { checked } from './step-checks.js';
import { everyEvent, makePlan, type Shape } from './step-plans.js';
import { begin, type Run } from './step-run.js';

/** The calls that there may be: debit and credit at two bridges. */
const CALLS: readonly (readonly [Side, string])[] = [
  ['debit', 'a'],
  ['credit', 'a'],
  ['debit', 'b'],
  ['credit', 'b'],
];

/** With as many calls as this each kind of intent is explored; plain ones with all four. */
const MOST = process.env.LONG_TESTS ? CALLS.length : 2;

const KINDS: Readonly<Record<string, Omit<Shape, 'parts'>>> = {
  plain: {},
  manual: { isManual: true },
  'sent on': { forwards: true },
  'manual, sent on': { isManual: true, forwards: true },
  forward: { isForward: true },
  'forward, sent on': { isForward: true, forwards: true },
};

/** Visits every state that any order of events leads to, and checks each step from each of them. */
function explore(shape: Shape): { readonly stages: ReadonlySet<string>; readonly steps: number } {
  const first = begin(makePlan(shape));
  const events = everyEvent(first.plan);
  const found = new Map<string, Run>([[keyOf(first), first]]);
  let steps = 0;
  // A map goes on to what is added while it is walked.
  for (const run of found.values()) {
    for (const event of events) {
      steps += 1;
      const next = checked(run, event);
      if (next.state !== run.state && !found.has(keyOf(next))) found.set(keyOf(next), next);
    }
  }
  return { stages: new Set([...found.values()].map(({ state }) => state.stage)), steps };
}

/** What the future depends on, and what the past must not have done twice: order of arrival aside. */
function keyOf({ state: { plan: _, ...state }, log, proofs }: Run): string {
  const done = log.filter((word) => /^(prepare|commit|abort|pending|post|void|notify|forward)/.test(word));
  return JSON.stringify([state, done.sort(), proofs.some(({ custom }) => custom?.status === 'resolved')]);
}

describe.each(Object.entries(KINDS))('any events in any order: %s', (kind, shape) => {
  const most = kind === 'plain' ? CALLS.length : MOST;
  const subsets = Array.from({ length: 2 ** CALLS.length }, (_, bits) => CALLS.filter((_, at) => bits & (1 << at)));
  it.each(
    subsets.filter((parts) => parts.length <= most).map((parts) => [parts.join(' ') || 'no calls', parts] as const),
  )(
    '%s',
    (_, parts) => {
      const { stages } = explore({ ...shape, parts });
      const expected = ['accepted', 'completed', 'rejected'];
      if (!shape.isForward) expected.push('waiting');
      if (shape.isManual) expected.push('held');
      if (shape.isForward || shape.forwards) expected.push('prepared');
      if (parts.length > 0) expected.push('committing', 'aborting');
      if (parts.some(([side]) => side === 'debit')) expected.push('debits');
      if (parts.some(([side]) => side === 'credit')) expected.push('credits');
      expect([...stages].sort()).toEqual(expected.sort());
    },
    60_000,
  );
});

it.each(['issue', 'limit'] as const)('any events in any order: %s alone', (action) => {
  const { stages } = explore({ parts: [], action });
  expect([...stages].sort()).toEqual(['accepted', 'completed', 'rejected', 'waiting']);
});
