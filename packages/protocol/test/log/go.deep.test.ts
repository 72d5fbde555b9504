import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seeded } from '../../../server/test/support/seed.js';
import {
  consistencyProof,
  cosign,
  formatCheckpoint,
  formatNote,
  formatTilePath,
  formatVkey,
  hashesAt,
  inclusionProof,
  rootOf,
  signNote,
  TILE_WIDTH,
  tilesAfter,
} from '../../src/log/index.js';
import { type Answer, buildGo, type Question, whyNoGo } from './support/go.js';
import { log, ORIGIN, otherLog, witnesses } from './support/keys.js';
import { entryAt, grow, leavesTo, readerOf, turned } from './support/tree.js';

const reason = whyNoGo();
if (reason !== undefined) {
  if (process.env.REQUIRE_GO === '1') throw new Error(`the comparison with Go is required: ${reason}`);
  console.warn(`the comparison with Go is left out: ${reason}`);
}

const random = seeded();
const below = (bound: number) => Math.floor(random() * bound);
const MOST = 70_000;
const sizes = [1, 2, 3, 255, 256, 257, 511, 512, 513, 1000, 65_535, 65_536, 65_537, 69_999, MOST];

describe.skipIf(reason !== undefined)("the packages of Go's checksum database", () => {
  let go: ReturnType<typeof buildGo>;
  const leaves = leavesTo(MOST);
  const { stored } = grow(leaves, [100, 400, 12_000, ...Array(115).fill(500)]);
  const read = readerOf(stored);
  const entries = leaves.map((_, index) => entryAt(index));
  const roots = new Map<number, Uint8Array>();
  const rootAt = (size: number) => {
    if (!roots.has(size)) roots.set(size, rootOf(leaves.slice(0, size)));
    return roots.get(size)!;
  };

  beforeAll(() => {
    go = buildGo();
  });
  afterAll(() => go?.remove());

  /** Asks about the log of all entries. */
  function askOfLog(questions: readonly Question[]): Answer[] {
    return go.ask([{ ask: 'append', entries }, ...questions]).slice(1);
  }

  test('have our roots', () => {
    const answers = askOfLog(sizes.map((size) => ({ ask: 'root', size })));
    expect(answers.map(({ hashes }) => hashes[0])).toEqual(sizes.map(rootAt));
  });

  test('take our proofs of inclusion, make the same, and refuse altered ones', async () => {
    const good: Question[] = [];
    for (const size of sizes) {
      for (const index of new Set([0, size - 1, below(size), below(size)])) {
        const proof = await inclusionProof(index, size, read);
        good.push({ ask: 'inclusion', size, index, leaf: leaves[index], root: rootAt(size), proof });
      }
    }
    const bad = good.flatMap((question) => alterations(question, ['leaf', 'root']));
    const answers = askOfLog([...good, ...bad]);
    for (const [at, question] of good.entries()) {
      expect(answers[at], `${question.index} of ${question.size}`).toMatchObject({ ok: true, hashes: question.proof });
    }
    expect(answers.slice(good.length).filter(({ ok }) => ok)).toEqual([]);
    expect(bad.length).toBeGreaterThan(100);
  });

  test('take our proofs of consistency, make the same, and refuse altered ones', async () => {
    const good: Question[] = [];
    for (const size of sizes) {
      for (const old of new Set([1, size, 1 + below(size), ...sizes.filter((one) => one < size).slice(-4)])) {
        const proof = await consistencyProof(old, size, read);
        good.push({ ask: 'consistency', size, old, root: rootAt(size), oldRoot: rootAt(old), proof });
      }
    }
    const bad = good.flatMap((question) => alterations(question, ['root', 'oldRoot']));
    const answers = askOfLog([...good, ...bad]);
    for (const [at, question] of good.entries()) {
      expect(answers[at], `${question.old} of ${question.size}`).toMatchObject({ ok: true, hashes: question.proof });
    }
    expect(answers.slice(good.length).filter(({ ok }) => ok)).toEqual([]);
    expect(bad.length).toBeGreaterThan(100);
  });

  test('have our tiles', () => {
    const places = [...stored.entries()].map(([place, hashes]) => {
      const [level, index] = place.split('/').map(Number);
      return { level, index, width: hashes.length / 32, hashes };
    });
    const answers = askOfLog(places.map(({ level, index, width }) => ({ ask: 'tile', level, index, width })));
    expect(answers.map(({ hashes }) => hashes[0])).toEqual(places.map(({ hashes }) => hashes));
    expect(places.length).toBe(274 + 2 + 1);
  });

  test('name the tiles that a batch changes as we do', () => {
    const spans = [...sizes.map((size) => [0, size] as const), [255, 257], [256, 512], [65_530, 65_540]] as const;
    const answers = go.ask(spans.map(([old, size]) => ({ ask: 'new tiles', old, size })));
    for (const [at, [old, size]] of spans.entries()) {
      const { growing } = grow(leaves, [old]);
      const ours = tilesAfter(growing, leaves.slice(old, size)).rows.map(({ level, index, hashes }) =>
        formatTilePath({ level, index, width: hashes.length / 32 }),
      );
      // Go names each width that a growing tile passes through; the last of each place is what is stored.
      const last = new Map(answers[at]!.names.map((path) => [path.replace(/\.p\/.*/, ''), path]));
      // A tile that is full already, and is named again at its old width, did not change.
      const theirs = [...last.values()].filter((path) => !isOf(path, old));
      expect(ours.toSorted(), `${old} to ${size}`).toEqual(theirs.toSorted());
    }
  });

  test('prove and check from our tiles alone, and notice an altered one', () => {
    const questions = sizes.map((size) => {
      const tiles: Record<string, Uint8Array> = {};
      for (const [place, hashes] of stored) {
        const [level, index] = place.split('/').map(Number) as [number, number];
        const width = Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH);
        if (width > 0) tiles[formatTilePath({ level, index, width })] = hashes.slice(0, width * 32);
      }
      const index = below(size);
      return { ask: 'tiles' as const, size, index, root: rootAt(size), leaf: leaves[index], tiles };
    });
    // Of a tree of one leaf nothing needs to be read.
    const altered = questions.slice(1).map((question) => {
      const place = `0/${String(Math.floor(question.index / TILE_WIDTH)).padStart(3, '0')}`;
      const path = Object.keys(question.tiles).find((one) => one.startsWith(place))!;
      return { ...question, tiles: { ...question.tiles, [path]: turned(question.tiles[path]!) } };
    });
    const answers = go.ask([...questions, ...altered]);
    expect(answers.map(({ ok }) => ok)).toEqual([...questions.map(() => true), ...altered.map(() => false)]);
  });

  test('take our keys, checkpoints and cosignatures, and refuse altered ones', async () => {
    const [witness] = witnesses as [(typeof witnesses)[0]];
    const text = formatCheckpoint({ origin: ORIGIN, size: MOST, root: rootAt(MOST) });
    const own = await signNote(text, log.key, log.sign);
    const other = await signNote(text, otherLog.key, otherLog.sign);
    const cosigned = await cosign(text, 1_700_000_000, witness.key, witness.sign);
    const note = formatNote({ text, signatures: [own, other, cosigned] });
    const [vkey, cosigner] = [formatVkey(log.key), formatVkey(witness.key)];
    const wrong = (at: number) =>
      formatNote({ text, signatures: [own, other, cosigned].map((one, place) => (place === at ? alter(one) : one)) });
    const answers = go.ask([
      { ask: 'note', note, vkeys: [vkey] },
      { ask: 'note', note, vkeys: [vkey, cosigner] },
      { ask: 'note', note: wrong(1), vkeys: [vkey, cosigner] },
      { ask: 'note', note: wrong(0), vkeys: [vkey] },
      { ask: 'note', note: wrong(2), vkeys: [vkey, cosigner] },
      { ask: 'note', note: note.replace(`\n${MOST}\n`, `\n${MOST + 1}\n`), vkeys: [vkey] },
      { ask: 'note', note, vkeys: [formatVkey({ ...log.key, id: '00000000' })] },
      { ask: 'note', note: note.slice(0, -1), vkeys: [vkey] },
    ]);
    expect(answers.slice(0, 3)).toEqual([
      expect.objectContaining({ ok: true, text, names: [log.key.name] }),
      expect.objectContaining({ ok: true, text, names: [log.key.name, witness.key.name] }),
      expect.objectContaining({ ok: true, names: [log.key.name, witness.key.name] }),
    ]);
    expect(answers.slice(3).map(({ ok }) => ok)).toEqual([false, false, false, false, false]);
  });
});

/** The question with each of what it claims altered. */
function alterations(question: Question, members: readonly string[]): Question[] {
  const proof = question.proof as Uint8Array[];
  const changed = members.map((member) => ({
    ...question,
    [member]: turned(question[member] as Uint8Array, below(256)),
  }));
  const at = below(proof.length);
  const others = [[...proof, new Uint8Array(32)]];
  if (proof.length > 0) others.push(proof.with(at, turned(proof[at]!, below(256))), proof.toSpliced(at, 1));
  return [...changed, ...others.map((other) => ({ ...question, proof: other }))];
}

function alter<Line extends { signature: Uint8Array }>(line: Line): Line {
  return { ...line, signature: turned(line.signature, 100) };
}

/** Whether the tile at a path is in the tree of that size, just as wide. */
function isOf(path: string, size: number): boolean {
  const [, level, index, width] = /^(\d)\/(\d{3})(?:\.p\/(\d+))?$/.exec(path) ?? [];
  const hashes = hashesAt(Number(level), size) - Number(index) * TILE_WIDTH;
  return Math.min(TILE_WIDTH, hashes) === Number(width ?? TILE_WIDTH);
}
