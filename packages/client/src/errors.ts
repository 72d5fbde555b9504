import type { Reason } from '@countersign/protocol';
import type { SignedRequest } from './options.js';

/** What to try, by reason. */
const TRIES: Record<Reason, string> = {
  'auth.unauthorized': 'Give a signer or a token. See that the clock is right and the token is for this ledger.',
  'auth.forbidden': 'Ask an owner of the ledger for a rule; check() lists those that grant.',
  'crypto.hash-invalid': 'See that nothing on the way changes the body.',
  'crypto.parent-hash-invalid': 'Read the record again and change that version; update() with a function does so.',
  'crypto.signature-invalid': 'See that the signer signs with the key that it names.',
  'crypto.signature-missing': 'Give connect() a signer, or a token that stands for a signer.',
  'api.body-malformed': 'Send less: a body has at most 1 MiB.',
  'api.query-malformed': 'See which filters the kind has, or ask for smaller pages.',
  'api.route-not-found': 'See that server ends in /v2 and that the ledger exists there.',
  'api.no-tenant-allowed': 'Connect without a ledger for this.',
  'api.request-timeout': 'Send the same signed body with resend(), or narrow the list.',
  'api.rate-limit-exceeded': 'Wait, then send the same signed body with resend().',
  'api.unexpected-error': 'Send the same signed body with resend(); if it stays, see the log of the server.',
  'record.not-found': 'See that the handle or luid is right, and that the record was not dropped.',
  'record.relation-not-found': 'Create the record that the data names first.',
  'record.duplicated': 'Use another handle, or read the record that has it.',
  'record.schema-invalid': 'See custom.errors for each member that is wrong.',
  'record.invalid': 'See the detail.',
  'record.drop-rejected': 'See custom for what depends on the record.',
  'record.update-rejected': 'See the detail for what cannot be changed this way.',
  'record.status-policy-violation': 'See the status policies: another signer or status may be needed.',
  'record.labels-policy-violation': 'See the labels policies for the labels that are allowed.',
  'bridge.proxy-response-invalid': 'Try again later, or ask the operator of the bridge.',
  'forward.invalid-response': 'Ask the operator of the bridge.',
  'forward.unexpected-error': 'Try again later, or ask the operator of the bridge.',
};

/** What a refusal says beside its detail. */
export interface RefusalCustom {
  /** Of `record.schema-invalid`: what is wrong, and where. */
  readonly errors?: readonly {
    readonly instancePath?: string;
    readonly message?: string;
    readonly [key: string]: unknown;
  }[];
  readonly [key: string]: unknown;
}

/** The ledger has refused (interface/errors). */
export class Refusal<R extends Reason = Reason> extends Error {
  override readonly name = 'Refusal';
  readonly reason: R;
  readonly status: number;
  readonly detail: string;
  readonly custom: RefusalCustom;
  /** Whether the ledger has signed the refusal; one that knows no ledger is unsigned. */
  readonly isSigned: boolean;
  /** What to try. */
  readonly toTry: string;
  /** Seconds after which the server says to come again. */
  retryAfter?: number;
  /** The path that was asked for, with its query. */
  path = '';
  /** The signed request, of a write: `resend` takes it. */
  request?: SignedRequest;
  /** Whether the write may have been done after all: an attempt before went unanswered, or the status leaves it open. */
  mayBeDone = false;

  constructor(
    { reason, detail, custom = {} }: { reason: R; detail: string; custom?: RefusalCustom },
    status: number,
    isSigned: boolean,
  ) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
    this.status = status;
    this.detail = detail;
    this.custom = custom;
    this.isSigned = isSigned;
    // The server knows the cause of some refusals better (interface/errors#hints).
    this.toTry = typeof custom.hint === 'string' ? custom.hint : (TRIES[reason] ?? 'See the detail.');
  }
}

/** A refusal, told apart by its reason: `switch (refusal.reason)`. */
export type AnyRefusal = { [R in Reason]: Refusal<R> }[Reason];

/** Whether an error is a refusal, for this reason when one is given. */
export function isRefusal<R extends Reason>(error: unknown, reason: R): error is Refusal<R>;
export function isRefusal(error: unknown): error is AnyRefusal;
export function isRefusal(error: unknown, reason?: Reason): boolean {
  return error instanceof Refusal && (reason === undefined || error.reason === reason);
}

/**
 * What is wrong with an answer: `form`, it has another form; `hash`, a hash is not that of the data; `proof`, a proof
 * does not verify; `key`, the ledger's key has not signed it; `record`, it is another record than was asked for, or was
 * sent; `stale`, it is older than what this client has seen, or than the tolerance; `size`, it is too large.
 */
export type Fault = 'form' | 'hash' | 'proof' | 'key' | 'record' | 'stale' | 'size';

/** An answer is not what an honest server gives. Nothing of it was used. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly fault: Fault;
  readonly toTry = 'Trust no answer of this server until its operator has said why. A write may have been done.';

  constructor(fault: Fault, detail: string, cause?: unknown) {
    super(`${fault}: ${detail}`, { cause });
    this.fault = fault;
  }
}

/** The server gave no answer, however often it was asked. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** The status of the last answer, if there was one. */
  readonly status: number | undefined;
  /** The signed request, of a write: `resend` takes it. */
  request?: SignedRequest;
  readonly toTry = 'See that the server runs. A write may have been done: send its request with resend().';

  constructor(detail: string, status?: number, cause?: unknown) {
    super(detail, { cause });
    this.status = status;
  }
}

/** The token endpoint has refused (interface/tokens#token-endpoint). */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  /** As RFC 6749 has it: `invalid_client`. */
  readonly error: string;
  readonly status: number;
  readonly toTry = 'See that the client id and secret are right, and that the ledger has an authentication policy.';

  constructor(error: string, description: string, status: number) {
    super(`${error}: ${description}`);
    this.error = error;
    this.status = status;
  }
}
