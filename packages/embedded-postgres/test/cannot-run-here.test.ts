import { expect, it } from 'vitest';
import { CannotRunHere } from '../src/cannot-run-here.js';

it('says why PostgreSQL cannot be run, and everything that helps', () => {
  expect(new CannotRunHere('no reason').message).toBe('no reason');
  expect(new CannotRunHere('no reason').or('use another').message).toBe('no reason: use another');
  const error = new CannotRunHere('no reason', 'try this', 'try that').or('use another');
  expect(error.message).toBe('no reason: try this, or try that, or use another');
  expect(error).toBeInstanceOf(CannotRunHere);
});
