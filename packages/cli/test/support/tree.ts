import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { portable } from '@countersign/protocol';
import { formatAddCheckpoint, formatCheckpoint, formatNote, noteKey, signNote } from '@countersign/protocol/log';

const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** A log in memory, its hashes made as RFC 6962 says them, without the code that is tested. */
export class TestLog {
  readonly leaves: Buffer[] = [];
  readonly #secret;
  readonly key;

  constructor(
    readonly origin: string,
    secret = generateKeyPairSync('ed25519').privateKey,
  ) {
    this.#secret = secret;
    const { x = '' } = this.#secret.export({ format: 'jwk' });
    this.key = noteKey(origin, 'note', Buffer.from(x, 'base64url'));
  }

  get size(): number {
    return this.leaves.length;
  }

  /** A log of the same key that goes on for itself. */
  fork(): TestLog {
    const fork = new TestLog(this.origin, this.#secret);
    fork.leaves.push(...this.leaves);
    return fork;
  }

  add(...texts: string[]): this {
    this.leaves.push(...texts.map((text) => sha(Buffer.of(0), Buffer.from(text))));
    return this;
  }

  /** The signed checkpoint of the first leaves. */
  async note(size = this.size, origin = this.origin): Promise<string> {
    const text = formatCheckpoint({ origin, size, root: treeHash(this.leaves.slice(0, size)) });
    const signature = await signNote(text, this.key, (message) => sign(null, message, this.#secret));
    return formatNote({ text, signatures: [signature] });
  }

  /** RFC 6962 §2.1.2. */
  proof(old: number, size = this.size): Buffer[] {
    return old === 0 || old === size ? [] : subproof(old, this.leaves.slice(0, size), true);
  }

  /** The body of add-checkpoint. */
  async body(old: number, size = this.size, proof: Uint8Array[] = this.proof(old, size)): Promise<string> {
    return formatAddCheckpoint({ old, proof, checkpoint: await this.note(size) });
  }
}

/** The key of a witness, and its signatures. */
export function testWitnessKey(name = 'witness.test/w1') {
  const secret = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(secret.d as string, 'base64url');
  return {
    seed,
    key: noteKey(name, 'cosignature', portable.publicKey(seed)),
    sign: (message: Uint8Array) => portable.sign(message, seed),
  };
}

function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha();
  if (leaves.length === 1) return leaves[0] as Buffer;
  const middle = below(leaves.length);
  return sha(Buffer.of(1), treeHash(leaves.slice(0, middle)), treeHash(leaves.slice(middle)));
}

function subproof(old: number, leaves: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (old === leaves.length) return isWhole ? [] : [treeHash(leaves)];
  const middle = below(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return old <= middle
    ? [...subproof(old, left, isWhole), treeHash(right)]
    : [...subproof(old - middle, right, false), treeHash(left)];
}

/** The greatest power of two below. */
function below(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}
