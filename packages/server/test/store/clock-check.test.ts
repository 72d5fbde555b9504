import { expect, it } from 'vitest';
import { ClockCheck } from '../../src/store/clock-check.js';

it('writes are refused while the clock is ahead by more than is allowed, and that is logged once', () => {
  const said: string[] = [];
  const note = (level: string) => (fields: unknown) => void said.push(`${level} ${JSON.stringify(fields)}`);
  const check = new ClockCheck(300_000, { error: note('error'), info: note('info') });
  const isTaken = (ahead: number) => {
    check.compare(1_000_000 + ahead, 1_000_000);
    return check.refusal === undefined;
  };
  expect([0, 300_000, 300_001, 400_000, 300_000, -9_000_000].map(isTaken)).toEqual([
    ...[true, true, false, false, true, true],
  ]);
  expect(said).toEqual(['error {"seconds":300}', 'info "the clock agrees with the database again: writes are taken"']);
});
