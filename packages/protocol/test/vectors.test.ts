import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  canonical,
  decodeHex,
  digest,
  encodeBase64,
  hash,
  type Json,
  type JsonObject,
  portable,
  signProof,
  verifyProof,
} from '../src/index.js';

interface Vector {
  name: string;
  data: Json;
  canonical: string;
  hash: string;
  custom?: JsonObject;
  digest: string;
  secret: string;
  public: string;
  result: string;
}

const vectors = JSON.parse(readFileSync(new URL('../vectors/proofs.json', import.meta.url), 'utf8')) as Vector[];

test('there are the interface vector and more than twenty others', () => {
  expect(vectors.length).toBeGreaterThan(21);
  expect(vectors[0]).toMatchObject({
    canonical: String.raw`{"custom":{"Z":"\"q\"","a":[true,null,"x/y"],"b":1.5},"handle":"w-é"}`,
    hash: '2c0dc93ad9006e2932d47cac98a904c0c2980af16873b3d4ab153c251466f9b4',
    digest: '2350c98653080d17673ea5d204a736f6e6e3b22419452a491db955651fa1ddf5',
    public: '6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=',
    result: 'uxsZOIRd5VbtfeGlMxwhaot0jMdYy+ewrg/DnoRiLZ6Lrl/YDnp4W8JYY6f2Z0IPACfu10RZ0oZ/dDPq9RhbAg==',
  });
  expect(vectors[1]?.digest).toBe('0ca27f159cb232dd1b4264992cbc8963ebedbc8708885781cd43af99f3350ead');
});

describe.each(vectors)('$name', (vector) => {
  const { custom } = vector;

  test('canonical form and hash', () => {
    expect(canonical(vector.data)).toBe(vector.canonical);
    expect(hash(vector.data)).toBe(vector.hash);
    expect(digest(vector.hash, custom)).toBe(vector.digest);
  });

  test('proof', () => {
    const secret = decodeHex(vector.secret)!;
    expect(encodeBase64(portable.publicKey(secret))).toBe(vector.public);
    const proof = signProof({ hash: vector.hash, custom, secret, public: vector.public });
    expect(proof.digest).toBe(vector.digest);
    expect(proof.result).toBe(vector.result);
    expect(verifyProof(vector.hash, proof)).toBe(true);
    expect(verifyProof(vector.hash, { ...proof, custom: { ...custom, more: 1 } })).toBe(false);
  });
});
