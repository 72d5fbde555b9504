import { beforeEach, describe, expect, it } from 'vitest';
import { LedgerClock, momentLimits } from '../../src/base/ledger-clock.js';

let now: number;
let clock: LedgerClock;
beforeEach(() => {
  now = 1_000_000;
  clock = new LedgerClock(() => now);
});

describe('the moments of a ledger', () => {
  it('follow the clock, and never go back with it; each ledger has its own', () => {
    expect(clock.next(1)).toBe(1_000_000);
    now -= 500;
    expect([clock.next(1), clock.next(2)]).toEqual([1_000_000, 999_500]);
    now += 501;
    expect(clock.next(1)).toBe(1_000_001);
  });

  it('follow what others have stored, and the version before', () => {
    clock.saw(1, 1_000_700);
    expect([clock.next(1), clock.next(2)]).toEqual([1_000_700, 1_000_000]);
    clock.saw(1, 999_000);
    expect([clock.next(1), clock.next(1, 1_000_900), clock.next(1)]).toEqual([1_000_700, 1_000_900, 1_000_900]);
  });

  it('are those of the ledgers that were asked for last', () => {
    clock.saw(1, 2_000_000);
    clock.saw(2, 2_000_000);
    for (let other = 3; other <= momentLimits.ledgers; other += 1) clock.next(other);
    expect(clock.next(1)).toBe(2_000_000);
    clock.next(momentLimits.ledgers + 1);
    expect([clock.next(1), clock.next(2)]).toEqual([2_000_000, 1_000_000]);
  });
});

it('the clock is put forward by what it was behind at the last commit', () => {
  expect(clock.current(1)).toBe(1_000_000);
  clock.saw(1, 1_003_000);
  now += 10;
  expect([clock.current(1), clock.current(2)]).toEqual([1_003_010, 1_000_010]);
  clock.saw(1, 1_000_000);
  expect(clock.current(1)).toBe(1_000_010);
});

it('the last moment of all records is asked for once in a while, also by a clock that was put back', () => {
  const asked = () => clock.mayAsk(1);
  expect([asked(), asked(), clock.mayAsk(2)]).toEqual([true, false, true]);
  now += momentLimits.asked - 1;
  expect(asked()).toBe(false);
  now += 1;
  expect(asked()).toBe(true);
  now -= 1_000 * momentLimits.asked;
  expect(asked()).toBe(true);
});
