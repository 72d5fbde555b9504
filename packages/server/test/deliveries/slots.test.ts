import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bell } from '../../src/base/bell.js';
import { RETRY_DELAYS, retryDelay } from '../../src/deliveries/retry-delays.js';
import { Slots } from '../../src/deliveries/slots.js';

describe('slots', () => {
  it('are as many as a ledger may have, and no more', () => {
    const slots = new Slots({ process: 10, ledger: 3 });
    expect(slots.take(1, 3)).toBe(3);
    expect(slots.take(1, 1)).toBe(0);
    slots.release(1);
    expect(slots.take(1, 2)).toBe(1);
  });

  it('are as many as the process may have, whatever each ledger may', () => {
    const slots = new Slots({ process: 4, ledger: 3 });
    expect(slots.take(1, 3)).toBe(3);
    expect(slots.take(2, 3)).toBe(1);
    expect(slots.take(3, 1)).toBe(0);
    slots.release(1, 2);
    expect(slots.take(3, 3)).toBe(2);
    expect(slots.total).toBe(4);
  });

  it('that are wanted by nobody are none', () => {
    const slots = new Slots({ process: 4, ledger: 3 });
    expect(slots.take(1, 0)).toBe(0);
    expect(slots.take(1, -2)).toBe(0);
    expect(slots.total).toBe(0);
  });

  it('ring once, when some are released', async () => {
    const slots = new Slots({ process: 1, ledger: 1 });
    const bell = new Bell();
    slots.take(1, 1);
    slots.onRelease(bell);
    slots.release(1);
    expect(await bell.wait(600_000)).toBe(true);
    slots.take(1, 1);
    slots.release(1);
    expect(await bell.wait(1)).toBe(false);
  });

  it('are within both bounds whatever is taken and released, and none is lost', () => {
    const steps = fc.array(
      fc.record({ ledger: fc.integer({ min: 1, max: 4 }), change: fc.integer({ min: -3, max: 5 }) }),
    );
    fc.assert(
      fc.property(steps, (all) => {
        const slots = new Slots({ process: 7, ledger: 3 });
        const taken = new Map<number, number>();
        for (const { ledger, change } of all) {
          const has = taken.get(ledger) ?? 0;
          const total = [...taken.values()].reduce((sum, one) => sum + one, 0);
          if (change < 0) {
            const released = Math.min(has, -change);
            slots.release(ledger, released);
            taken.set(ledger, has - released);
          } else {
            const expected = Math.min(change, 3 - has, 7 - total);
            expect(slots.take(ledger, change)).toBe(expected);
            taken.set(ledger, has + expected);
          }
          expect(slots.total).toBe([...taken.values()].reduce((sum, one) => sum + one, 0));
        }
      }),
    );
  });
});

describe('the delay before an attempt is made again', () => {
  it('is a second, a fifth more each time, and an hour at most', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(retryDelay);
    expect(delays).toEqual([1000, 1200, 1440, 1728, 2074, 2488, 2986, 3583, 4300, 5160]);
    const { greatest } = RETRY_DELAYS;
    // 1.2^44 is 3,000 odd, 1.2^45 more than 3,600.
    expect(retryDelay(45)).toBeLessThan(greatest);
    expect(retryDelay(46)).toBe(greatest);
    expect(retryDelay(100_000)).toBe(greatest);
  });
});
