/** A call of the server's own to a service outside. */
export interface OutboundCall {
  /** Id of the ledger that it is made for: calls under way are bounded for each ledger. */
  readonly ledger: number;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Absolute, http or https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Timeout in milliseconds, the connection included; `limits.outbound.total` at most. */
  readonly within: number;
}

/** An answer of any status, redirects included. */
export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The only way to call services outside. Passed in, so that tests can replace it. */
export interface Outbound {
  /** @throws OutboundFailure when the call fails or its answer is too large; Overloaded when too many are under way */
  send(call: OutboundCall): Promise<OutboundAnswer>;
  /** Closes connections once the calls under way have ended. */
  close(): Promise<void>;
}

/**
 * Why a call failed. `unreachable`: the connection failed or broke. `refused`: the SSRF guard excludes the address.
 * `late`: timeout. `oversized`: the answer is over the size limit. `impossible`: the request is malformed, for example
 * a header. `unauthorized`: the service refused the ledger's token.
 */
export type FailureKind = 'unreachable' | 'refused' | 'late' | 'oversized' | 'impossible' | 'unauthorized';

/** A failed call. Its message is for operators only: it may name addresses inside the network. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';

  /** `code` is the system's, such as `ECONNREFUSED`, where it has one. */
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}
