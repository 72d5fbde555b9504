/** A request that a token may be bound to. */
export interface TokenRequest {
  readonly method: string;
  readonly url: string;
  /** The text of the body, if there is one. */
  readonly body?: string | undefined;
}

/** Tokens that the signer signs (interface/tokens#self-signed-tokens). */
export interface SelfSigned {
  /** A handle of a signer, or the key; the key unless given. */
  readonly kid?: string;
  readonly iss?: string;
  readonly sub?: string;
  /** The ledger unless given. */
  readonly aud?: string;
  /** Seconds that a token lives; 300 unless given. */
  readonly lifetime?: number;
  /** Binds each token to one request (interface/tokens#request-hash). */
  readonly isBound?: boolean;
  /** Whether writes carry it, too. They are signed by themselves: a token adds a proof of the ledger for its signer. */
  readonly onWrites?: boolean;
}

/** Tokens of the ledger's token endpoint (interface/tokens#token-endpoint). */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whether writes carry it: yes, unless told otherwise. */
  readonly onWrites?: boolean;
}

/** Where tokens come from; a function is asked for each request. */
export type TokenSource = SelfSigned | ClientCredentials | ((request: TokenRequest) => string | Promise<string>);
