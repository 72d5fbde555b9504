import { describe, expect, it } from 'vitest';
import { createVeil } from '../../src/integrity/veil.js';

const use = '0123456789abcdef0123456789abcdef';

describe('the name of a proof of an erased record', () => {
  it('is the same each time, and another under another master key', () => {
    const one = createVeil(Buffer.alloc(32, 1));
    expect(one(use)).toMatch(/^[0-9a-f]{32}$/);
    expect(createVeil(Buffer.alloc(32, 1))(use)).toBe(one(use));
    expect(createVeil(Buffer.alloc(32, 2))(use)).not.toBe(one(use));
    expect(one(use)).not.toBe(use);
  });
});
