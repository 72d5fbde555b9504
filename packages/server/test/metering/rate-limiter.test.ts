import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../src/metering/rate-limiter.js';
import { tellRefusals } from '../../src/metering/refusals.js';
import { TenantRates } from '../../src/metering/tenant-rates.js';

const LIMIT = { count: 5, seconds: 10 };
const EACH = (LIMIT.seconds * 1_000) / LIMIT.count;

describe('a rate limiter', () => {
  it('lets through what a bucket that refills evenly holds, and says when there is one again', () => {
    const step = fc.record({ pause: fc.integer({ min: 0, max: 6_000 }), key: fc.constantFrom('one', 'other') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now = 0;
        const limiter = new RateLimiter(LIMIT, () => now);
        const buckets = new Map<string, { tokens: number; at: number }>();
        for (const { pause, key } of steps) {
          now += pause;
          const before = buckets.get(key) ?? { tokens: LIMIT.count, at: now };
          const tokens = Math.min(LIMIT.count, before.tokens + (now - before.at) / EACH);
          const isFull = tokens >= 1 - 1e-6;
          const wait = limiter.take(key);
          expect(wait === 0).toBe(isFull);
          if (!isFull) expect(wait).toBeCloseTo((1 - tokens) * EACH, 3);
          buckets.set(key, { tokens: isFull ? tokens - 1 : tokens, at: now });
        }
      }),
    );
  });

  it('charges what others let through, and waits for no longer than a limit more', () => {
    let now = 0;
    const limiter = new RateLimiter(LIMIT, () => now);
    limiter.charge([['key', 3]]);
    expect([1, 2, 3].map(() => limiter.take('key') === 0)).toEqual([true, true, false]);
    limiter.charge([['key', 1_000_000]]);
    now += LIMIT.seconds * 1_000;
    expect(limiter.take('key')).toBeGreaterThan(0);
    now += EACH;
    expect(limiter.take('key')).toBe(0);
    expect(limiter.takeSpent()).toEqual([['key', 3]]);
    expect(limiter.takeSpent()).toEqual([]);
  });

  it.each([1, 2, 4, 8])('lets through what one would, where %d share a flood', (processes) => {
    let now = 0;
    const limit = { count: 5_000, seconds: 5 };
    const limiters = Array.from({ length: processes }, () => new RateLimiter(limit, () => now));
    let passed = 0;
    const seconds = 60;
    for (; now < seconds * 1_000; now += 250) {
      for (const limiter of limiters) while (limiter.take('key') === 0) passed += 1;
      const spent = limiters.map((limiter) => limiter.takeSpent());
      limiters.forEach((limiter, at) => {
        for (const [from, others] of spent.entries()) if (from !== at) limiter.charge(others);
      });
    }
    const one = limit.count + (limit.count / limit.seconds) * seconds;
    expect(passed).toBeGreaterThan(0.8 * one);
    // Each lets a whole limit through before it hears of the others.
    expect(passed).toBeLessThan(1.1 * one + (processes - 1) * limit.count);
  });
});

it('refusals are counted, and told once a minute of each limit, with the sender or the ledger', () => {
  let now = 0;
  const lines: object[] = [];
  const counted: string[] = [];
  const refused = tellRefusals(
    { warn: (about) => void lines.push(about) },
    (limit) => void counted.push(limit),
    () => now,
  );
  for (let sent = 0; sent < 3; sent += 1) refused('requests', '192.0.2.1');
  refused('writes', 'acme');
  refused('process-connections');
  now += 60_000;
  refused('requests', '192.0.2.2');
  expect(lines).toEqual([
    { limit: 'requests', sender: '192.0.2.1' },
    { limit: 'writes', ledger: 'acme' },
    { limit: 'process-connections' },
    { limit: 'requests', sender: '192.0.2.2', untold: 2 },
  ]);
  expect(counted).toHaveLength(6);
});

describe('rates of tenants', () => {
  it('are counted once a request, however often it is judged, and not at all without a limit', () => {
    const rates = new TenantRates({ writes: { count: 1, seconds: 10 } }, undefined, () => 0);
    const request = {};
    const ledger = { id: 1, handle: 'acme' };
    rates.admitWrite(ledger, request, true);
    rates.admitWrite(ledger, request, true);
    expect(() => rates.admitWrite(ledger, {}, true)).toThrow(
      'There are too many writes in this ledger. Retry after 10 s.',
    );
    rates.admitWrite({ id: 2, handle: 'other' }, {}, true);
    for (let sent = 0; sent < 100; sent += 1) rates.admitRequest('192.0.2.1');
    expect(rates.takeSpent()).toEqual({
      writes: [
        ['1', 1],
        ['2', 1],
      ],
    });
    expect(rates.takeSpent()).toBeUndefined();
  });
});
