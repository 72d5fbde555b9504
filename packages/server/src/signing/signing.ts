import { setImmediate as turn } from 'node:timers/promises';
import type { ServerKey, UnsignedProof } from '../keys/signing-key.js';
import { SECRET_KEY_BYTES, type SerializationTask, SIGNATURE_BYTES } from './messages.js';
import { randomBytesFor, type SerializedVersions, sizeOf, type UnsignedRecord } from './serialization.js';
import { startThread } from './thread.js';

/** A signature of a client's, to be verified. */
export interface SignatureCheck {
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** What was signed: 32 bytes. */
  readonly digest: Uint8Array;
  /** The public key: 32 bytes. */
  readonly key: Uint8Array;
}

/** Records of one ledger whose versions are to be serialized. */
export interface UnsignedRecords {
  readonly ledger: SerializationTask['ledger'];
  readonly kind: SerializationTask['kind'];
  /** Those that the proofs name by their index. */
  readonly signers: readonly (ServerKey & { readonly handle: string })[];
  readonly records: readonly UnsignedRecord[];
}

/** Signs, verifies, and serializes versions, all in the signing thread of the process (decision 0026). */
export interface Signing {
  /** Sets `result` of the proofs. */
  sign(proofs: readonly UnsignedProof[]): Promise<void>;
  /** Whether each signature is the key's over the digest. */
  verify(checks: readonly SignatureCheck[]): Promise<readonly boolean[]>;
  /**
   * Signs the proofs that are added to records, and makes texts, codes and leaves of their versions.
   *
   * @returns for each record its versions, or the error that prevents them
   */
  serialize(unsigned: UnsignedRecords): Promise<readonly (SerializedVersions | Error)[]>;
  /** Ends the thread. What is not answered yet, and later calls, fail. */
  close(): Promise<void>;
}

export interface SigningOptions {
  /** The key of the authentication codes of versions: 32 bytes (`versionKeyOf`). */
  readonly versionKey: Uint8Array;
  /** Draws the salts of leaves. */
  readonly random: (bytes: number) => Uint8Array;
  /** Called when the thread ends before it is closed. */
  readonly ended: (error: Error) => void;
}

/** Characters that the texts of one message to the thread have together, unless one record has more. */
const MESSAGE_CHARACTERS = 4 * 1024 * 1024;

/**
 * Signing for one process: its thread is started, and takes messages.
 *
 * @throws Error when the thread does not start
 */
export async function startSigning({ versionKey, random, ended }: SigningOptions): Promise<Signing> {
  const thread = await startThread(versionKey, ended);
  return {
    async sign(proofs) {
      const parts = concatenate(
        proofs.flatMap(({ proof, key }) => [secretKeyOf(key), Buffer.from(proof.digest, 'hex')]),
      );
      const signatures = Buffer.from(await thread.run({ type: 'sign', parts }, parts.buffer));
      for (const [at, { proof }] of proofs.entries()) {
        proof.result = signatures.toString('base64', at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
      }
    },

    async verify(checks) {
      const parts = concatenate(checks.flatMap(({ signature, digest, key }) => [signature, digest, key]));
      const bytes = await thread.run({ type: 'verify', parts }, parts.buffer);
      return checks.map((_, at) => bytes[at] === 1);
    },

    async serialize({ ledger, kind, signers, records }) {
      const named = signers.map(({ handle, public: key }) => ({ handle, public: key }));
      const keys = signers.map(secretKeyOf);
      const serialized: (SerializedVersions | Error)[] = [];
      // Each message is sent once the one before is answered: what others ask for comes between, and other work here.
      for (const [at, group] of groupBySize(records).entries()) {
        if (at > 0) await turn();
        const salts = new Uint8Array(random(group.reduce((sum, record) => sum + randomBytesFor(record), 0)));
        const texts = group.map(({ begin, ...rest }) => ({ begin, rest: JSON.stringify(rest) }));
        const task = { type: 'serialize', ledger, kind, signers: named, keys, records: texts, random: salts } as const;
        serialized.push(...(await thread.run(task, salts.buffer)));
      }
      return serialized;
    },

    close: () => thread.close(),
  };
}

/** The records in their order, in groups of at most `MESSAGE_CHARACTERS` characters. */
function groupBySize(records: readonly UnsignedRecord[]): UnsignedRecord[][] {
  const groups: UnsignedRecord[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const own = sizeOf(record);
    if (size + own > MESSAGE_CHARACTERS) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)!.push(record);
    size += own;
  }
  return groups;
}

/** All bytes in memory of their own, which the thread is given. */
function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The seed followed by the public key: the form libsodium signs with. */
function secretKeyOf(key: ServerKey): Uint8Array {
  const bytes = new Uint8Array(SECRET_KEY_BYTES);
  bytes.set(key.secret);
  bytes.set(Buffer.from(key.public, 'base64'), key.secret.length);
  return bytes;
}
