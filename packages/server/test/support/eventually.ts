import { vi } from 'vitest';

/** Milliseconds after which what is waited for counts as not coming, on however busy a machine. */
const PATIENCE = 60_000;

/** Waits until `check` no longer throws, and gives what it returns. How long that takes is no matter of the test. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE, interval: 20 });
}
