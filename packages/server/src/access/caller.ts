import type { JsonObject } from '@countersign/protocol';

/**
 * What rules can ask of a signer: the data of its record, and its circles at this moment
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
  /** The domain of its record, whose `schema` and `custom` count there and below; an exact handle counts everywhere. */
  readonly domain?: string;
  /**
   * Whether the record carries a proof made with `public`. Any key can be written into a record; only its holder can
   * prove it.
   */
  readonly proven?: boolean;
}

/** A key that the caller has shown to hold, or a signer that a trusted party says the caller is. */
export interface CallerKey {
  /** Absent where a signer is only named, and its record lacks a proof of the key or is out of use. */
  readonly public?: string;
  /**
   * The signer the key stands for: the signer with that key, or with a factor of it
   * (interface/proofs#for-whom-a-key-stands).
   */
  readonly signer?: SignerFacts;
  /** Handle of the signer that has the key but is out of use; the key then stands for no signer. */
  readonly retired?: string;
}

/** A key that has made a verified signature. */
export interface ShownKey extends CallerKey {
  readonly public: string;
}

/** A valid bearer token. */
export interface CallerToken {
  /** The key that signed it, or the key of the signer it impersonates; absent when it stands for no signer. */
  readonly key?: CallerKey;
  readonly claims: JsonObject;
  /** Whether a provider has made it: its claims are more than what its bearer says of itself. */
  readonly isProvided?: true;
}

/** The sender of a request. Everything in it is verified. */
export interface Caller {
  /** The keys of the client's own proofs; empty on a read. */
  readonly proofs: readonly CallerKey[];
  readonly token?: CallerToken;
}
