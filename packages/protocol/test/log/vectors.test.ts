import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeBase64, decodeHex, encodeBase64, portable } from '../../src/index.js';
import {
  acceptCheckpoint,
  checkConsistency,
  checkProofFile,
  commitmentOf,
  consistencyProof,
  cosign,
  entryOf,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  inclusionProof,
  type KeyUse,
  leafHash,
  noteKey,
  parsePolicy,
  parseVkey,
  rootOf,
  signNote,
} from '../../src/log/index.js';
import { grow, readerOf } from './support/tree.js';

interface Leaf {
  readonly index: number;
  readonly salt: string;
  readonly ledger: string;
  readonly kind: string;
  readonly luid: string;
  readonly change: number;
  readonly action: string;
  readonly text: string;
  readonly commitment: string;
  readonly entry: string;
  readonly hash: string;
}

interface Vectors {
  readonly leaves: Leaf[];
  readonly roots: { readonly size: number; readonly root: string }[];
  readonly keys: { readonly name: string; readonly secret: string; readonly vkey: string }[];
  readonly checkpoint: string;
  readonly cosignature: { readonly time: number; readonly text: string; readonly line: string };
  readonly inclusion: { readonly index: number; readonly file: string; readonly policy: string };
  readonly consistency: {
    readonly old: number;
    readonly size: number;
    readonly oldRoot: string;
    readonly root: string;
    readonly proof: string[];
  };
}

const url = new URL('../../vectors/log.json', import.meta.url);
const vectors = JSON.parse(readFileSync(url, 'utf8')) as Vectors;
const bytes = (text: string) => decodeBase64(text)!;
const leaves = vectors.leaves.map(({ hash }) => bytes(hash));
const { stored } = grow(leaves, [leaves.length]);
const policy = parsePolicy(vectors.inclusion.policy);

function keyAt(at: number, use: KeyUse) {
  const { name, secret } = vectors.keys[at]!;
  const seed = decodeHex(secret)!;
  return { key: noteKey(name, use, portable.publicKey(seed)), sign: (said: Uint8Array) => portable.sign(said, seed) };
}
const log = keyAt(0, 'note');
const witness = keyAt(1, 'cosignature');

describe('the published vectors of the log', () => {
  test('commitments, entries and hashes of leaves', () => {
    expect(leaves.length).toBe(300);
    for (const { index, salt, commitment, entry, hash, ...fields } of vectors.leaves) {
      const made = commitmentOf({ ...fields, salt: bytes(salt) });
      expect(encodeBase64(made), String(index)).toBe(commitment);
      expect(encodeBase64(entryOf(made))).toBe(entry);
      expect(encodeBase64(leafHash(entryOf(made)))).toBe(hash);
    }
  });

  test('roots', () => {
    expect(vectors.roots.map(({ size }) => encodeBase64(rootOf(leaves.slice(0, size))))).toEqual(
      vectors.roots.map(({ root }) => root),
    );
  });

  test('keys, the checkpoint and the cosignature', async () => {
    expect([parseVkey(vectors.keys[0]!.vkey), parseVkey(vectors.keys[1]!.vkey)]).toEqual([log.key, witness.key]);
    const text = formatCheckpoint({ origin: log.key.name, size: 300, root: rootOf(leaves) });
    expect(text).toBe(vectors.cosignature.text);
    const signatures = [
      await signNote(text, log.key, log.sign),
      await cosign(text, vectors.cosignature.time, witness.key, witness.sign),
    ];
    expect(formatNote({ text, signatures })).toBe(vectors.checkpoint);
    expect(vectors.checkpoint.endsWith(vectors.cosignature.line)).toBe(true);
    expect(acceptCheckpoint(vectors.checkpoint, policy).witnesses).toEqual(new Map([['w1', vectors.cosignature.time]]));
  });

  test('the proof file', async () => {
    const { index, file } = vectors.inclusion;
    const proof = await inclusionProof(index, 300, readerOf(stored));
    const { salt, entry } = vectors.leaves[index]!;
    expect(formatProofFile({ extra: bytes(salt), index, proof, checkpoint: vectors.checkpoint })).toBe(file);
    expect(checkProofFile(file, bytes(entry), policy).index).toBe(index);
  });

  test('the proof of consistency', async () => {
    const { old, size, oldRoot, root, proof } = vectors.consistency;
    expect((await consistencyProof(old, size, readerOf(stored))).map(encodeBase64)).toEqual(proof);
    const claim = { old, oldRoot: bytes(oldRoot), size, root: bytes(root), proof: proof.map(bytes) };
    expect(checkConsistency(claim)).toBe(true);
  });
});
