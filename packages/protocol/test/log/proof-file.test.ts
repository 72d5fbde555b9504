import { describe, expect, test } from 'vitest';
import { encodeBase64 } from '../../src/index.js';
import {
  acceptCheckpoint,
  checkProofFile,
  cosign,
  formatAddCheckpoint,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  formatVkey,
  inclusionProof,
  LOG_BOUNDS,
  parseAddCheckpoint,
  parsePolicy,
  parseProofFile,
  rootOf,
  signNote,
} from '../../src/log/index.js';
import { log, ORIGIN, otherLog, witnesses } from './support/keys.js';
import { entryAt, grow, leavesTo, readerOf, turned } from './support/tree.js';

const malformed = expect.objectContaining({ name: 'LogError', reason: 'malformed' });
const tooLong = expect.objectContaining({ name: 'LogError', reason: 'too-long' });
const unverified = expect.objectContaining({ name: 'LogError', reason: 'unverified' });

const leaves = leavesTo(300);
const { stored } = grow(leaves, [300]);
const salt = new Uint8Array(16).fill(8);
const names = witnesses.map(({ key }, at) => `witness w${at} ${formatVkey(key)}`);
const policyText = (quorum: string) => `log ${formatVkey(log.key)}\n${names.join('\n')}\n${quorum}\n`;
const twoOfThree = parsePolicy(policyText('group g 2 w0 w1 w2\nquorum g'));

/** A checkpoint of `size` leaves, signed by the log and cosigned by witnesses. */
async function checkpointOf(size: number, cosigners: readonly number[], signer = log, origin = ORIGIN) {
  const text = formatCheckpoint({ origin, size, root: rootOf(leaves.slice(0, size)) });
  const signatures = [await signNote(text, signer.key, signer.sign)];
  for (const at of cosigners) {
    const { key, sign } = witnesses[at]!;
    signatures.push(await cosign(text, 1_700_000_000 + at, key, sign));
  }
  return formatNote({ text, signatures });
}

async function proofOf(index: number, size: number, cosigners: readonly number[]) {
  const proof = await inclusionProof(index, size, readerOf(stored));
  return { extra: salt, index, proof, checkpoint: await checkpointOf(size, cosigners) };
}

describe('proof files', () => {
  test('have the lines of tlog-proof', async () => {
    const { index, proof, checkpoint } = await proofOf(3, 5, []);
    expect(formatProofFile({ extra: undefined, index, proof, checkpoint })).toBe(
      `c2sp.org/tlog-proof@v1\nindex 3\n${proof.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${checkpoint}`,
    );
    expect(formatProofFile({ extra: salt, index, proof, checkpoint })).toContain(
      '@v1\nextra CAgICAgICAgICAgICAgICA==\nindex 3\n',
    );
  });

  test('are read as they are written, and hold for the entry', async () => {
    for (const [index, size] of [
      [0, 1],
      [3, 5],
      [255, 256],
      [256, 257],
      [299, 300],
    ] as const) {
      const file = await proofOf(index, size, [0, 2]);
      for (const one of [file, { ...file, extra: undefined }, { ...file, extra: new Uint8Array(0) }]) {
        const text = formatProofFile(one);
        expect(parseProofFile(text)).toEqual(one);
        expect(parseProofFile(new TextEncoder().encode(text))).toEqual(one);
        expect(checkProofFile(text, entryAt(index), twoOfThree)).toEqual({
          checkpoint: { origin: ORIGIN, size, root: rootOf(leaves.slice(0, size)) },
          witnesses: new Map([
            ['w0', 1_700_000_000],
            ['w2', 1_700_000_002],
          ]),
          index,
          extra: one.extra,
        });
      }
    }
  });

  test('do not hold for another entry, place, tree, log or policy', async () => {
    const file = await proofOf(3, 5, [0, 1]);
    const check = (other: Partial<typeof file>, policy = twoOfThree, entry = entryAt(3)) =>
      checkProofFile(formatProofFile({ ...file, ...other }), entry, policy);
    expect(check({}).index).toBe(3);
    expect(() => check({}, twoOfThree, entryAt(4))).toThrow(unverified);
    expect(() => check({ index: 2 })).toThrow(unverified);
    expect(() => check({ index: 5 })).toThrow(unverified);
    expect(() => check({ proof: file.proof.slice(1) })).toThrow(unverified);
    expect(() => check({ proof: file.proof.with(1, turned(file.proof[1]!)) })).toThrow(unverified);
    expect(() => check({ checkpoint: file.checkpoint.replace('\n5\n', '\n6\n') })).toThrow(unverified);
    expect(() => check({}, parsePolicy(`log ${formatVkey(otherLog.key)}\nquorum none`))).toThrow(unverified);
    expect(() => check({}, parsePolicy(policyText('quorum w2')))).toThrow(unverified);
    const one = await checkpointOf(5, [0]);
    expect(() => check({ checkpoint: one })).toThrow(unverified);
    expect(check({ checkpoint: one }, parsePolicy(policyText('quorum none'))).witnesses.size).toBe(1);
    const twice = await checkpointOf(5, [0, 0]);
    expect(() => check({ checkpoint: twice })).toThrow(unverified);
    const foreign = await checkpointOf(5, [0, 1], otherLog);
    expect(() => check({ checkpoint: foreign })).toThrow(unverified);
    const both = parsePolicy(`${policyText('quorum none')}log ${formatVkey(otherLog.key)}\n`);
    expect(() => check({ checkpoint: foreign }, both)).toThrow(unverified);
    expect(acceptCheckpoint(await checkpointOf(5, [], otherLog, otherLog.key.name), both).checkpoint.size).toBe(5);
  });

  test('other forms are refused', async () => {
    const file = await proofOf(3, 5, []);
    const text = formatProofFile(file);
    const hash = encodeBase64(file.proof[0]!);
    for (const other of [
      '',
      text.replace('@v1', '@v2'),
      text.replace('extra', 'extras'),
      text.replace(/extra.*\n/, '$&$&'),
      text.replace(/(extra.*\n)(index.*\n)/, '$2$1'),
      text.replace('extra ', 'extra  '),
      text.replace(/index.*\n/, ''),
      text.replace('index 3', 'index 03'),
      text.replace('index 3', 'index'),
      text.replace('index 3', 'index -1'),
      text.replace('index 3', 'index 9007199254740992'),
      text.replace(hash, hash.slice(4)),
      text.replace(hash, `${hash} `),
      text.replace('\n\n', '\n'),
      text.slice(0, text.indexOf('\n\n') + 2),
      text.slice(0, text.indexOf('\n\n')),
      text.replaceAll('\n', '\r\n'),
      `\n${text}`,
    ]) {
      expect(() => checkProofFile(other, entryAt(3), twoOfThree), JSON.stringify(other)).toThrow(malformed);
    }
    expect(() => formatProofFile({ ...file, checkpoint: '' })).toThrow(malformed);
    expect(() => formatProofFile({ ...file, index: -1 })).toThrow(RangeError);
  });

  test('63 hashes, 4096 bytes of extra and a note are the bounds', async () => {
    const file = await proofOf(3, 5, []);
    const hashes = (count: number) => Array(count).fill(leaves[0]!) as Uint8Array[];
    expect(parseProofFile(formatProofFile({ ...file, proof: hashes(63) })).proof.length).toBe(63);
    expect(() => formatProofFile({ ...file, proof: hashes(64) })).toThrow(tooLong);
    const extra = (bytes: number) => new Uint8Array(bytes);
    expect(parseProofFile(formatProofFile({ ...file, extra: extra(4096) })).extra?.length).toBe(4096);
    expect(() => formatProofFile({ ...file, extra: extra(4097) })).toThrow(tooLong);
    expect(() => formatProofFile({ ...file, checkpoint: 'x'.repeat(LOG_BOUNDS.note + 1) })).toThrow(tooLong);
    expect(() => parseProofFile('x'.repeat(LOG_BOUNDS.withNote + 1))).toThrow(tooLong);
  });
});

describe('add-checkpoint', () => {
  test('has the lines of tlog-witness', async () => {
    const checkpoint = await checkpointOf(5, []);
    const hash = leaves[0]!;
    const body = formatAddCheckpoint({ old: 3, proof: [hash, hash], checkpoint });
    expect(body).toBe(`old 3\n${encodeBase64(hash)}\n${encodeBase64(hash)}\n\n${checkpoint}`);
    expect(parseAddCheckpoint(body)).toEqual({ old: 3, proof: [hash, hash], checkpoint });
    expect(formatAddCheckpoint({ old: 0, proof: [], checkpoint })).toBe(`old 0\n\n${checkpoint}`);
    expect(parseAddCheckpoint(new TextEncoder().encode(`old 0\n\n${checkpoint}`)).proof).toEqual([]);
  });

  test('other forms are refused', async () => {
    const checkpoint = await checkpointOf(5, []);
    const hash = encodeBase64(leaves[0]!);
    for (const other of [
      '',
      checkpoint,
      `old 3\n${checkpoint}`,
      'old 3\n\n',
      `old\n\n${checkpoint}`,
      `old 03\n\n${checkpoint}`,
      `old -3\n\n${checkpoint}`,
      `old 9007199254740992\n\n${checkpoint}`,
      `Old 3\n\n${checkpoint}`,
      `old 3\n${hash.slice(4)}\n\n${checkpoint}`,
      `old 3\n${hash}x\n\n${checkpoint}`,
      `old 3\r\n\r\n${checkpoint}`,
    ]) {
      expect(() => parseAddCheckpoint(other), JSON.stringify(other)).toThrow(malformed);
    }
    const proof = (count: number) => Array(count).fill(leaves[0]!) as Uint8Array[];
    expect(formatAddCheckpoint({ old: 3, proof: proof(63), checkpoint }).length).toBeGreaterThan(63 * 45);
    expect(() => formatAddCheckpoint({ old: 3, proof: proof(64), checkpoint })).toThrow(tooLong);
    expect(() => parseAddCheckpoint('x'.repeat(LOG_BOUNDS.withNote + 1))).toThrow(tooLong);
    expect(() => formatAddCheckpoint({ old: 1.5, proof: [], checkpoint })).toThrow(RangeError);
  });
});
