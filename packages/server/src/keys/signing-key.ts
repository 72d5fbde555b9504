import type { StoredProof } from '@countersign/protocol';

/** A key of the server's own. */
export interface ServerKey {
  /** Base64. */
  readonly public: string;
  /** The 32-byte seed. */
  readonly secret: Uint8Array;
}

/** A proof that is complete but for its signature: `result` is empty until then. */
export interface UnsignedProof {
  readonly proof: StoredProof;
  readonly key: ServerKey;
}
