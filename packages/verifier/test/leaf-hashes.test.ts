import { createHash } from 'node:crypto';
import { leafHash, rootOf } from '@countersign/protocol/log';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeafHashes } from '../src/log/leaf-hashes.js';

const sha = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
const leaves = Array.from({ length: 2_000 }, (_, index) => leafHash(Buffer.from(String(index)), sha));
const rootAt = (size: number) => rootOf(leaves.slice(0, size), sha);

/** Near the ends of pages, where roots are made of, and anywhere. */
const size = fc.oneof(
  fc.integer({ min: 0, max: leaves.length }),
  fc
    .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: -2, max: 2 }))
    .map(([page, by]) => Math.max(0, 256 * page + by)),
);
const order = (count: number) =>
  fc.shuffledSubarray([...leaves.keys()].slice(0, count), { minLength: count, maxLength: count });
const made = fc
  .integer({ min: 0, max: leaves.length })
  .chain((count) => fc.record({ all: order(count), sizes: fc.array(size) }));

describe('the hashes of leaves', () => {
  it('make the roots that were announced, in whatever order they come', () => {
    fc.assert(
      fc.property(made, ({ all, sizes }) => {
        const hashes = new LeafHashes(sizes, sha);
        for (const index of all) expect(hashes.put(index, leaves[index]!)).toBe(true);
        expect(hashes.count).toBe(all.length);
        expect(hashes.firstFree()).toBe(all.length);
        const known = sizes.filter((one) => one <= all.length);
        expect(hashes.rootsAt(known)).toEqual(new Map(known.map((one) => [one, rootAt(one)])));
      }),
      { numRuns: 20 },
    );
  });

  it('find the first that is lacking, and take each place once', () => {
    fc.assert(
      fc.property(order(700), fc.integer({ min: 0, max: 699 }), (all, lacking) => {
        const hashes = new LeafHashes([lacking], sha);
        for (const index of all) if (index !== lacking) hashes.put(index, leaves[index]!);
        expect(hashes.firstFree()).toBe(lacking);
        for (const index of all) expect(hashes.put(index, leaves[0]!)).toBe(index === lacking);
        expect(hashes.rootsAt([lacking]).get(lacking)).toEqual(rootAt(lacking));
      }),
      { numRuns: 20 },
    );
  });

  it('take little memory of a file that names one leaf of each page', () => {
    const before = process.memoryUsage().arrayBuffers;
    const hashes = new LeafHashes([2 ** 40], sha);
    for (let page = 0; page < 10_000; page += 1) hashes.put(256 * page + (page % 256), leaves[0]!);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000 * 1_000);
    expect(hashes.count).toBe(10_000);
  });
});
