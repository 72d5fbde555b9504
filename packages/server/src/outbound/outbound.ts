import type { ClientCertificate } from './client-certificate.js';

/** A call of the server's own to a service outside. */
export interface OutboundCall {
  /** Id of the ledger that it is made for: calls under way are bounded for each ledger. */
  readonly ledger: number;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Absolute, http or https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Shown to a service that asks for one, over https. */
  readonly certificate?: ClientCertificate;
  /** Milliseconds until it is given up, the connection included; `outboundLimits.total` at most. */
  readonly within: number;
  /** Only the status counts: of the body, `outboundLimits.ignored` is read. */
  readonly ignoresBody?: boolean;
  /** Gives the call up when aborted. */
  readonly signal?: AbortSignal;
}

/** An answer of any status, redirects included. */
export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The only way to call services outside. Passed in, so that tests can replace it. */
export interface Outbound {
  /**
   * @throws OutboundFailure when no answer came, or none that may be taken; Overloaded when too many calls are under way;
   *   UnusableKey
   */
  send(call: OutboundCall): Promise<OutboundAnswer>;
  /** Makes sure, before anything is sent, that calls of a ledger can use a certificate. @throws UnusableKey */
  verifyCertificate(ledger: number, certificate: ClientCertificate): void;
  /** Lets go of connections when the calls under way have ended. */
  close(): Promise<void>;
}

/**
 * Why there is no answer. `unreachable`: no connection, or one that broke. `refused`: it would have led to an address
 * that calls must not lead to. `late`: it took too long. `oversized`: the answer is larger than is taken. `impossible`:
 * it cannot be sent, because of an invalid header or path. `unauthorized`: the service does not take the ledger's token, or
 * the one that issues tokens gave none.
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
