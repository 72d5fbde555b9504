import { describe, expect, test } from 'vitest';
import { seeded } from '../../../server/test/support/seed.js';
import {
  checkConsistency,
  checkInclusion,
  consistencyProof,
  edgeOf,
  inclusionProof,
  NOTHING_GROWN,
  partialTiles,
  type ReadTile,
  RightEdge,
  rootOf,
  TileNodes,
  tilesAfter,
  tilesForConsistency,
  tilesForInclusion,
} from '../../src/log/index.js';
import { grow, leavesTo, NaiveTree, nodesOf, readerOf, turned } from './support/tree.js';

const random = seeded();
const below = (bound: number) => Math.floor(random() * bound);

const MOST = 70_000;
const leaves = leavesTo(MOST);
const edges = [255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537];
const { stored, growing } = grow(leaves, [1, 254, 1, 1, 255, 600, 64_423, 2, ...Array(90).fill(50)]);
const naive = new NaiveTree(leaves);
const rootAt = (size: number) => naive.root(size);

describe('roots', () => {
  test('of every size to 600, and of those at the edges of tiles, are those of RFC 6962', () => {
    const edge = new RightEdge();
    for (let size = 0; size <= 65_537; size++) {
      if (size <= 600 || edges.includes(size)) expect(edge.root(), String(size)).toEqual(rootAt(size));
      edge.append(leaves[size]!);
    }
    expect(rootOf(leaves.slice(0, 513))).toEqual(rootAt(513));
    expect(rootOf([])).toEqual(rootAt(0));
  });

  test('an edge is made again from its size and hashes, and refuses others', () => {
    for (const size of [0, 1, 7, 255, 256, 1000]) {
      const edge = new RightEdge();
      for (const leaf of leaves.slice(0, size)) edge.append(leaf);
      const again = new RightEdge(edge.size, edge.hashes);
      again.append(leaves[size]!);
      expect(again.size).toBe(size + 1);
      expect(again.root()).toEqual(rootAt(size + 1));
      expect(edge.root()).toEqual(rootAt(size));
      expect(() => new RightEdge(size, [...edge.hashes, leaves[0]!])).toThrow(RangeError);
    }
    expect(() => new RightEdge(1, [new Uint8Array(31)])).toThrow(RangeError);
    expect(() => new RightEdge(-1)).toThrow(RangeError);
    expect(() => new RightEdge().append(new Uint8Array(33))).toThrow(RangeError);
    expect(() => new RightEdge(2 ** 53, [leaves[0]!])).toThrow(RangeError);
  });

  test('an edge counts beyond 32 bits', () => {
    const subtree = leaves[0]!;
    const edge = new RightEdge(2 ** 40 + 1, [subtree, leaves[1]!]);
    edge.append(leaves[2]!);
    expect(edge.size).toBe(2 ** 40 + 2);
    expect(edge.hashes).toEqual([subtree, naive.root(3, 1)]);
  });
});

describe('tiles', () => {
  test('grown in batches hold the hashes of their level, and no others', () => {
    expect(growing.size).toBe(MOST);
    const counts = [MOST, Math.floor(MOST / 256), Math.floor(MOST / 65_536)];
    const seen = [0, 0, 0];
    for (const [place, hashes] of stored) {
      const [level, index] = place.split('/').map(Number) as [number, number];
      const width = Math.min(256, counts[level]! - index * 256);
      expect(hashes.length, place).toBe(width * 32);
      seen[level]! += width;
      const span = 256 ** level;
      for (const at of new Set([0, width >> 1, width - 1])) {
        const start = (index * 256 + at) * span;
        const expected = naive.root(start + span, start);
        expect(hashes.slice(at * 32, at * 32 + 32), `${place} ${at}`).toEqual(expected);
      }
    }
    expect(seen).toEqual(counts);
  });

  test('every row that changes begins with what it was; the tiles that grow are those to be read again', () => {
    const known = new Map<string, Uint8Array>();
    let now = NOTHING_GROWN;
    while (now.size < 2000) {
      const before = now;
      const { rows, after } = tilesAfter(before, leaves.slice(before.size, before.size + below(300)));
      for (const { level, index, hashes } of rows) {
        const was = known.get(`${level}/${index}`) ?? new Uint8Array(0);
        expect(hashes.length).toBeGreaterThan(was.length);
        expect(hashes.length).toBeLessThanOrEqual(8192);
        expect(hashes.slice(0, was.length)).toEqual(was);
        known.set(`${level}/${index}`, hashes);
      }
      now = after;
      const rowsToRead: Uint8Array[] = now.rows.map(() => new Uint8Array(0));
      for (const { level, index, width } of partialTiles(now.size)) {
        rowsToRead[level] = known.get(`${level}/${index}`)!;
        expect(rowsToRead[level]!.length).toBe(width * 32);
      }
      expect(rowsToRead).toEqual(now.rows);
    }
  });

  test('the right edge of what grows is that of the tree, at every edge of a tile', () => {
    for (const size of [0, 1, 100, ...edges]) {
      const grown = grow(leaves, [size]).growing;
      expect(edgeOf(grown).root(), String(size)).toEqual(rootAt(size));
      expect(edgeOf(grown).hashes.length).toBe(size.toString(2).replaceAll('0', '').length);
    }
  });

  test('rows that do not fit the size, and hashes of another length, are refused', () => {
    const { growing: three } = grow(leaves, [3]);
    const { growing: many } = grow(leaves, [256]);
    for (const misfit of [
      { size: 4, rows: three.rows },
      { size: 3, rows: [] },
      { size: 256, rows: many.rows.slice(0, 1) },
      { size: 3, rows: [...three.rows, new Uint8Array(32)] },
      { size: -1, rows: [] },
    ]) {
      expect(() => tilesAfter(misfit, [])).toThrow(RangeError);
      expect(() => edgeOf(misfit)).toThrow(RangeError);
    }
    expect(() => tilesAfter(three, [new Uint8Array(31)])).toThrow(RangeError);
    expect(tilesAfter(three, [])).toEqual({ rows: [], after: three });
  });
});

describe('inclusion', () => {
  test('of every leaf of every small tree: the proof of RFC 6962, which verifies', async () => {
    for (let size = 1; size <= 26; size++) {
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProof(index, size, readerOf(stored));
        expect(proof, `${index} of ${size}`).toEqual(naive.path(index, size));
        expect(checkInclusion({ leaf: leaves[index]!, index, size, root: rootAt(size), proof })).toBe(true);
      }
    }
  });

  test('of random leaves at the edges of tiles, with the tiles that were announced and the root that they make', async () => {
    for (const size of [...edges, MOST, 1000 + below(60_000), 1000 + below(60_000)]) {
      for (const index of [0, size - 1, below(size), below(size)]) {
        const asked: string[] = [];
        const proof = await inclusionProof(index, size, readerOf(stored, asked));
        expect(proof, `${index} of ${size}`).toEqual(naive.path(index, size));
        expect(checkInclusion({ leaf: leaves[index]!, index, size, root: rootAt(size), proof })).toBe(true);
        const announced = tilesForInclusion(index, size).map((tile) => `${tile.level}/${tile.index}/${tile.width}`);
        expect(asked).toEqual(announced);
        expect(new Set(announced).size).toBe(announced.length);
        expect(announced.length).toBeLessThanOrEqual(6);
        expect(await inclusionProof(index, size, nodesOf(stored))).toEqual(proof);
      }
    }
  });

  test('a tile that is kept with its nodes is refused when it is too short', async () => {
    const short: ReadTile = async () => new TileNodes(new Uint8Array(6 * 32));
    await expect(inclusionProof(3, 7, short)).rejects.toMatchObject({ name: 'LogError', reason: 'malformed' });
    expect(() => new TileNodes(new Uint8Array(33))).toThrow(RangeError);
    expect(new TileNodes(new Uint8Array(7 * 32)).bytes).toBe((7 + 3 + 1) * 32);
  });

  test('anything altered is refused', async () => {
    for (let round = 0; round < 60; round++) {
      const size = 2 + below(3000);
      const index = below(size);
      const proof = await inclusionProof(index, size, readerOf(stored));
      const claim = { leaf: leaves[index]!, index, size, root: rootAt(size), proof };
      expect(checkInclusion(claim)).toBe(true);
      const at = below(proof.length);
      for (const altered of [
        { leaf: turned(claim.leaf, below(256)) },
        { root: turned(claim.root, below(256)) },
        { proof: proof.with(at, turned(proof[at]!, below(256))) },
        { proof: proof.toSpliced(at, 1) },
        { proof: [...proof, proof[at]!] },
        { proof: [proof[at]!, ...proof] },
        { index: index ^ 1 },
        { index: size },
        { index: -1 },
        { index: index + 0.5 },
        { size: 0 },
        { size: index },
        { size: 2 ** 53 },
        { leaf: claim.leaf.slice(1) },
        { proof: proof.with(at, proof[at]!.slice(1)) },
      ]) {
        expect(checkInclusion({ ...claim, ...altered }), JSON.stringify(altered)).toBe(false);
      }
    }
  });

  test('a proof that leads to the root by another way than its place and size is refused', async () => {
    // Of the fourth of four leaves, said to be the second of two: one hash is left over.
    const last = { leaf: leaves[3]!, root: rootAt(4), proof: await inclusionProof(3, 4, readerOf(stored)) };
    expect(checkInclusion({ ...last, index: 3, size: 4 })).toBe(true);
    expect(checkInclusion({ ...last, index: 1, size: 2 })).toBe(false);
    // Of the first of four, said to be the first of five: one hash is missing.
    const first = { leaf: leaves[0]!, root: rootAt(4), proof: await inclusionProof(0, 4, readerOf(stored)) };
    expect(checkInclusion({ ...first, index: 0, size: 4 })).toBe(true);
    expect(checkInclusion({ ...first, index: 0, size: 5 })).toBe(false);
    expect(checkInclusion({ leaf: leaves[0]!, index: 1, size: 1, root: leaves[0]!, proof: [] })).toBe(false);
  });

  test('a tree of one leaf has an empty proof; an index without a leaf has none', async () => {
    const claim = { leaf: leaves[0]!, index: 0, size: 1, root: leaves[0]!, proof: [] };
    expect(checkInclusion(claim)).toBe(true);
    expect(await inclusionProof(0, 1, readerOf(stored))).toEqual([]);
    expect(() => inclusionProof(1, 1, readerOf(stored))).toThrow(RangeError);
    expect(() => tilesForInclusion(-1, 1)).toThrow(RangeError);
  });

  test('a tile that is too short is refused', async () => {
    const short = async () => new Uint8Array(32);
    await expect(inclusionProof(3, 7, short)).rejects.toMatchObject({ name: 'LogError', reason: 'malformed' });
  });
});

describe('consistency', () => {
  test('of every pair of small trees: the proof of RFC 6962, which verifies', async () => {
    for (let size = 0; size <= 22; size++) {
      for (let old = 0; old <= size; old++) {
        const proof = await consistencyProof(old, size, readerOf(stored));
        expect(proof).toEqual(old === 0 ? [] : naive.consistency(old, size));
        const claim = { old, oldRoot: rootAt(old), size, root: rootAt(size), proof };
        expect(checkConsistency(claim), `${old} of ${size}`).toBe(true);
      }
    }
  });

  test('of pairs at the edges of tiles, and random ones', async () => {
    const pairs = edges.flatMap((old) => edges.filter((size) => size > old).map((size) => [old, size] as const));
    for (let round = 0; round < 20; round++) pairs.push([1 + below(30_000), 30_001 + below(40_000)]);
    for (const [old, size] of pairs) {
      const asked: string[] = [];
      const proof = await consistencyProof(old, size, readerOf(stored, asked));
      expect(proof, `${old} of ${size}`).toEqual(naive.consistency(old, size));
      const claim = { old, oldRoot: rootAt(old), size, root: rootAt(size), proof };
      expect(checkConsistency(claim)).toBe(true);
      expect(asked).toEqual(tilesForConsistency(old, size).map((tile) => `${tile.level}/${tile.index}/${tile.width}`));
    }
  });

  test('anything altered is refused', async () => {
    for (let round = 0; round < 60; round++) {
      const size = 3 + below(3000);
      const old = 1 + below(size - 1);
      const proof = await consistencyProof(old, size, readerOf(stored));
      const oldRoot = rootAt(old);
      const claim = { old, oldRoot, size, root: rootAt(size), proof };
      expect(checkConsistency(claim)).toBe(true);
      const at = below(proof.length);
      for (const altered of [
        { oldRoot: turned(claim.oldRoot, below(256)) },
        { root: turned(claim.root, below(256)) },
        { proof: proof.with(at, turned(proof[at]!, below(256))) },
        { proof: proof.toSpliced(at, 1) },
        { proof: [...proof, proof[at]!] },
        { proof: [] },
        { old: 0 },
        { old: size },
        { old: size + 1 },
        { old: -1 },
        { old: old + 0.5 },
        { size: 2 ** 53 },
        { oldRoot: claim.oldRoot.slice(1) },
        { proof: proof.with(at, proof[at]!.slice(1)) },
      ]) {
        expect(checkConsistency({ ...claim, ...altered }), `${old} ${size} ${JSON.stringify(altered)}`).toBe(false);
      }
    }
  });

  test('a proof that leads to both roots by another way than its sizes is refused', async () => {
    const seven = { oldRoot: rootAt(7), root: rootAt(8), proof: await consistencyProof(7, 8, readerOf(stored)) };
    expect(checkConsistency({ ...seven, old: 7, size: 8 })).toBe(true);
    expect(checkConsistency({ ...seven, old: 3, size: 4 })).toBe(false);
    const four = { oldRoot: rootAt(4), root: rootAt(8), proof: await consistencyProof(4, 8, readerOf(stored)) };
    expect(checkConsistency({ ...four, old: 4, size: 8 })).toBe(true);
    expect(checkConsistency({ ...four, old: 4, size: 9 })).toBe(false);
  });

  test('a tree is consistent with itself and with the one without leaves alone', () => {
    const [root, empty, other] = [rootAt(5), rootAt(0), rootAt(6)];
    const same = { old: 5, oldRoot: root, size: 5, root, proof: [] };
    expect(checkConsistency(same)).toBe(true);
    expect(checkConsistency({ ...same, oldRoot: other })).toBe(false);
    expect(checkConsistency({ ...same, proof: [root] })).toBe(false);
    const fromNothing = { old: 0, oldRoot: empty, size: 5, root, proof: [] };
    expect(checkConsistency(fromNothing)).toBe(true);
    expect(checkConsistency({ ...fromNothing, oldRoot: other })).toBe(false);
    expect(checkConsistency({ ...fromNothing, proof: [root] })).toBe(false);
    expect(checkConsistency({ old: 0, oldRoot: other, size: 0, root: other, proof: [] })).toBe(false);
    expect(() => consistencyProof(6, 5, readerOf(stored))).toThrow(RangeError);
  });
});
