import { describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { createCircuitBreaker } from '../../src/witnessing/circuit-breaker.js';
import { witnessLimits } from '../../src/witnessing/witness-limits.js';

const { each, retry, refused } = witnessLimits;

/** A witness that answers as it is told, at a time that stands still. */
function scene() {
  let now = 0;
  // The longest delays.
  const patience = createCircuitBreaker(
    () => now,
    () => 1 - Number.EPSILON,
  );
  return {
    later: (milliseconds: number) => {
      now += milliseconds;
    },
    ask: async (outcome: string, ledger = 1) => (await patience.ask(ledger, async () => ({ outcome })))?.outcome,
    patience,
  };
}

describe('a witness that fails', () => {
  it('rests, for all logs, twice as long each time, and no longer than the bound', async () => {
    const { later, ask } = scene();
    let delay: number = retry.first;
    for (let failures = 1; failures <= 20; failures += 1) {
      expect(await ask('failed')).toBe('failed');
      later(delay - 1);
      expect(await ask('cosigned', 2)).toBeUndefined();
      later(1);
      delay = Math.min(delay * 2, retry.greatest);
    }
    expect(await ask('cosigned')).toBe('cosigned');
    expect(await ask('failed')).toBe('failed');
    later(retry.first);
    expect(await ask('cosigned')).toBe('cosigned');
  });

  it('is tried by one request before others follow', async () => {
    const { later, ask, patience } = scene();
    await ask('failed');
    later(retry.first);
    let answer: (outcome: string) => void = () => {};
    const first = patience.ask(
      1,
      () =>
        new Promise<{ outcome: string }>((resolve) => {
          answer = (outcome) => resolve({ outcome });
        }),
    );
    expect(await ask('cosigned', 2)).toBeUndefined();
    answer('cosigned');
    await first;
    expect(await ask('cosigned', 2)).toBe('cosigned');
  });
});

it('a server that has too much to do says nothing about its witness', async () => {
  const { later, ask, patience } = scene();
  const overloaded = () => patience.ask(1, () => Promise.reject(new Overloaded()));
  for (let tries = 0; tries < 5; tries += 1) expect(await overloaded()).toBeUndefined();
  expect(await ask('cosigned')).toBe('cosigned');
  expect(await ask('failed')).toBe('failed');
  later(retry.first);
  expect(await overloaded()).toBeUndefined();
  expect(await ask('cosigned')).toBe('cosigned');
});

it('a log that is refused rests alone', async () => {
  const { later, ask } = scene();
  for (const outcome of ['refused', 'invalid']) {
    expect(await ask(outcome)).toBe(outcome);
    expect(await ask('cosigned')).toBeUndefined();
    expect(await ask('cosigned', 2)).toBe('cosigned');
    later(refused.first);
    expect(await ask('cosigned')).toBe('cosigned');
  }
});

it('a witness has so many requests at a time; others wait for a moment', async () => {
  const { patience, ask } = scene();
  const answers: (() => void)[] = [];
  const slow = (ledger: number) =>
    patience.ask(
      ledger,
      () =>
        new Promise<{ outcome: string }>((resolve) => {
          answers.push(() => resolve({ outcome: 'cosigned' }));
        }),
    );
  const asked = Array.from({ length: each }, (_, ledger) => slow(ledger));
  await Promise.resolve();
  const waiting = ask('cosigned', each);
  const late = ask('cosigned', each + 1);
  expect(await late).toBeUndefined();
  expect(await waiting).toBeUndefined();
  const next = ask('cosigned', each);
  answers[0]!();
  expect(await next).toBe('cosigned');
  for (const answer of answers) answer();
  await Promise.all(asked);
});
