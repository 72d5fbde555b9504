import { randomBytes } from 'node:crypto';
import type { Runtime } from './clock.js';

/**
 * Random bytes, drawn from the system in bulk: a luid needs few, and a system call costs more than filling the pool.
 *
 * @param size bytes that are drawn at a time
 */
export function makePooledRandom(size: number): Runtime['random'] {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (bytes > size) return randomBytes(bytes);
    if (pool.length < bytes) pool = randomBytes(size);
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}
