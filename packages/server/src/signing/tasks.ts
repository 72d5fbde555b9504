import type { KindName } from '../kinds/kind.js';
import type { AssembledVersions, UnsignedRecord } from './assemble.js';

/** Digests to sign, one after the other. */
export interface SigningTask {
  /** 32 bytes each. */
  readonly digests: Uint8Array;
  /** For each digest, the index of the key that signs it. */
  readonly by: readonly number[];
  /** Seed and public key, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
}

/** Signatures to verify: of each the signature, the digest and the public key, one after the other. */
export interface VerifyingTask {
  readonly checks: Uint8Array;
}

/** Records of one ledger whose versions are to be assembled. */
export interface AssemblyTask {
  readonly ledger: { readonly id: number; readonly luid: string };
  readonly kind: KindName;
  readonly signers: readonly { readonly handle: string; readonly public: string }[];
  /** Of the signers, as in a signing task. */
  readonly keys: readonly Uint8Array[];
  /** Of each record its `begin`, and the rest as JSON of one array: one text takes less to pass on than many objects. */
  readonly begins: readonly string[];
  readonly records: string;
  /** Random bytes, as many as all of them take. */
  readonly random: Uint8Array;
}

/** What the JSON of an assembly task holds. */
export type WithoutBegin = Omit<UnsignedRecord, 'begin'>;

/** What the thread is told. */
export interface ThreadMessage {
  /** Names the message in its answer. */
  readonly number: number;
  readonly task: SigningTask | VerifyingTask | AssemblyTask;
}

/** The answer to a message: messages are answered in the order in which they come. */
export interface ThreadAnswer {
  readonly number: number;
  /** Of a signing task 64 bytes for each digest; of a verifying task one for each check, 1 where the signature holds. */
  readonly bytes?: Uint8Array;
  /** Of an assembly task: for each record its versions, or the text of the error. */
  readonly records?: readonly (AssembledVersions | string)[];
}

/** What the thread is started with. */
export interface ThreadData {
  /** The key of the codes of versions. */
  readonly versionKey: Uint8Array;
}

export const DIGEST_BYTES = 32;
export const SIGNATURE_BYTES = 64;
export const PUBLIC_BYTES = 32;
export const CHECK_BYTES = SIGNATURE_BYTES + DIGEST_BYTES + PUBLIC_BYTES;
