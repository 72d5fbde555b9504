import type { JsonObject } from '@countersign/protocol';

/**
 * What rules can ask of a signer record: its data, and the circles it is in at this moment
 * (interface/access#signer-matchers, interface/circles#members).
 */
export interface SignerFacts {
  readonly handle: string;
  readonly public: string;
  readonly format?: string;
  readonly schema?: string;
  readonly custom?: JsonObject;
  readonly status?: string;
  /** Handles of circles. */
  readonly circles: readonly string[];
  /** The domain its record is in: what that says counts there and below. */
  readonly domain?: string;
  /** Whether whoever holds `public` has put a proof of it on the record. Anyone may write any key into one. */
  readonly proven?: boolean;
}

/** A key that the caller showed to hold, or a signer that somebody who is trusted said the caller is. */
export interface Key {
  /** Absent where nothing shows that the caller, or the signer the caller is said to be, holds a key. */
  readonly public?: string;
  /** The signer it stands for: whose own key it is, or that of a factor (interface/proofs#for-whom-a-key-stands). */
  readonly signer?: SignerFacts;
  /** Handle of the signer that has the key but is out of use: then it stands for nobody. */
  readonly retired?: string;
}

/** A key that somebody has made a signature with. */
export interface ShownKey extends Key {
  readonly public: string;
}

/** A valid bearer token. */
export interface Token {
  /** The key that signed it, or the key of the signer it impersonates; absent when it stands for no signer. */
  readonly key?: Key;
  readonly claims: JsonObject;
}

/** Who asks. Everything in it was verified. */
export interface Caller {
  /** The keys of the client's own proofs; none on a read. */
  readonly proofs: readonly Key[];
  readonly token?: Token;
}
