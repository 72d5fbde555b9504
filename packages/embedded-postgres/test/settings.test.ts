import { expect, it } from 'vitest';
import { computeSharedBuffers } from '../src/settings.js';

const GIB = 1024 ** 3;

it.each([
  [0.5 * GIB, '128MB'],
  [1 * GIB, '128MB'],
  [2 * GIB, '256MB'],
  [8 * GIB, '1024MB'],
  [8 * GIB - 1, '1023MB'],
  [64 * GIB, '1024MB'],
])('of %d bytes of memory PostgreSQL takes %s for its buffers', (memory, buffers) => {
  expect(computeSharedBuffers(memory)).toBe(buffers);
});
