import type { KindName } from '../kinds/kind.js';
import type { SerializedVersions, UnsignedRecord } from './serialization.js';

/** What the thread is to do. */
export type ThreadTask = SigningTask | VerifyingTask | SerializationTask;

/** Digests to sign. */
export interface SigningTask {
  readonly type: 'sign';
  /** For each signature the secret key and the digest, one after the other. */
  readonly parts: Uint8Array;
}

/** Signatures to verify. */
export interface VerifyingTask {
  readonly type: 'verify';
  /** For each signature the signature, the digest and the public key, one after the other. */
  readonly parts: Uint8Array;
}

/** Records of one ledger whose versions are to be serialized. */
export interface SerializationTask {
  readonly type: 'serialize';
  readonly ledger: { readonly id: number; readonly luid: string };
  readonly kind: KindName;
  readonly signers: readonly { readonly handle: string; readonly public: string }[];
  /** The secret keys of the signers. */
  readonly keys: readonly Uint8Array[];
  /** Of each record its `begin`, and the rest as JSON (`WithoutBegin`): a text takes less time to pass on than many objects. */
  readonly records: readonly { readonly begin: string; readonly rest: string }[];
  /** Random bytes, as many as all of them take. */
  readonly random: Uint8Array;
}

export type WithoutBegin = Omit<UnsignedRecord, 'begin'>;

/** For each task, what the thread answers. */
export interface TaskResults {
  /** 64 bytes for each signature. */
  readonly sign: Uint8Array;
  /** For each signature a byte: 1 where it holds. */
  readonly verify: Uint8Array;
  /** For each record its versions, or the error that prevents them. */
  readonly serialize: readonly (SerializedVersions | Error)[];
}

/** A message to the thread. */
export interface ThreadMessage {
  /** Names the message in its answer. */
  readonly number: number;
  readonly task: ThreadTask;
}

/** The answer to a message. Number 0 is told without being asked: the thread has started. */
export interface ThreadAnswer {
  readonly number: number;
  readonly result?: TaskResults[ThreadTask['type']];
  /** Why the task failed. */
  readonly error?: Error;
}

/** What the thread is started with. */
export interface ThreadData {
  /** The key of the authentication codes of versions. */
  readonly versionKey: Uint8Array;
}

/** Seed and public key: the form in which libsodium signs. */
export const SECRET_KEY_BYTES = 64;
export const DIGEST_BYTES = 32;
export const SIGNATURE_BYTES = 64;
export const PUBLIC_BYTES = 32;
