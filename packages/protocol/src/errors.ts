import type { JsonObject } from './json.js';

interface ReasonAnswer {
  /** The HTTP status the reason is answered with. */
  readonly status: number;
  readonly meaning: string;
}

/** Every reason an operation answers over HTTP, with its status (interface/errors#reasons). */
export const REASONS = {
  'auth.unauthorized': { status: 401, meaning: 'The token is missing, malformed, expired or badly signed.' },
  'auth.forbidden': { status: 403, meaning: 'The rules do not allow the caller this operation.' },
  'crypto.hash-invalid': { status: 422, meaning: 'The hash is not the hash of the data.' },
  'crypto.parent-hash-invalid': { status: 422, meaning: 'The parent is not the hash of the current version.' },
  'crypto.signature-invalid': { status: 422, meaning: 'A proof does not verify.' },
  'crypto.signature-missing': { status: 422, meaning: 'A write carries no proof.' },
  'api.body-malformed': { status: 400, meaning: 'The body is not acceptable JSON, or is too large (then 413).' },
  'api.query-malformed': { status: 400, meaning: 'The query cannot be read or names an unsupported filter.' },
  'api.route-not-found': { status: 404, meaning: 'There is no such route, or no such ledger.' },
  'api.no-tenant-allowed': { status: 422, meaning: 'The operation is not for a single ledger.' },
  'api.request-timeout': { status: 408, meaning: 'Processing took too long; it may or may not have been done.' },
  'api.rate-limit-exceeded': { status: 429, meaning: 'Too many requests; try again later.' },
  'api.unexpected-error': { status: 500, meaning: 'The server failed unexpectedly.' },
  'record.not-found': { status: 404, meaning: 'There is no such record.' },
  'record.relation-not-found': { status: 422, meaning: 'The data names a record that does not exist.' },
  'record.duplicated': { status: 409, meaning: 'A record of the kind with this handle exists already.' },
  'record.schema-invalid': { status: 422, meaning: 'The body or the data does not match its schema.' },
  'record.invalid': { status: 422, meaning: 'The request is well-formed but cannot be processed.' },
  'record.drop-rejected': { status: 422, meaning: 'The record cannot be dropped as things stand.' },
  'record.update-rejected': { status: 422, meaning: 'The record does not allow this change.' },
  'record.status-policy-violation': { status: 422, meaning: 'A status policy refuses the status.' },
  'record.labels-policy-violation': { status: 422, meaning: 'A labels policy refuses the labels.' },
  'bridge.proxy-response-invalid': { status: 500, meaning: 'A bridge answered a forwarded query unusably.' },
  'forward.invalid-response': { status: 502, meaning: 'A bridge answered a forwarded operation unusably.' },
  'forward.unexpected-error': { status: 500, meaning: 'An operation could not be forwarded to its bridge.' },
} as const satisfies Record<string, ReasonAnswer>;

/** A reason answered over HTTP. */
export type Reason = keyof typeof REASONS;

/** Whether `text` is a reason that has an HTTP status. */
export function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
}

/** Reasons found only in the proofs of intents (interface/errors#reasons-in-records). */
export const CORE_REASONS = [
  'core.source-invalid',
  'core.target-invalid',
  'core.symbol-invalid',
  'core.insufficient-balance',
  'core.intent-expired',
  'core.limit-exceeded',
  'core.bridge-prepare-failed',
  'core.bridge-unreachable',
  'core.bridge-unsupported-operation',
  'core.routing-failed',
  'core.thread-size-exceeded',
  'core.manual-abort-requested',
  'core.unexpected-error',
] as const;

/** Reasons that bridges report; a bridge may use others too (interface/errors#reasons-in-records). */
export const BRIDGE_REASONS = [
  'bridge.account-not-found',
  'bridge.account-inactive',
  'bridge.account-insufficient-balance',
  'bridge.account-limit-exceeded',
  'bridge.entry-rejected',
  'bridge.entry-hash-invalid',
  'bridge.entry-signature-invalid',
  'bridge.entry-signature-mismatch',
  'bridge.entry-signature-missing',
  'bridge.entry-schema-invalid',
  'bridge.entry-mismatch',
  'bridge.entry-duplicated',
  'bridge.entry-timeout',
  'bridge.intent-hash-invalid',
  'bridge.intent-signature-invalid',
  'bridge.intent-signature-missing',
  'bridge.intent-unrelated',
  'bridge.fraud-detected',
  'bridge.ledger-failed',
  'bridge.core-unreachable',
  'bridge.unexpected-core-error',
  'bridge.unexpected-error',
  'bridge.command-unsupported',
  'bridge.incorrect-fee',
  'bridge.core-invalid-access',
  'bridge.transfer-information-invalid',
] as const;

/** Reasons found only in the proofs of deliveries (interface/errors#reasons-in-records). */
export const DELIVERY_REASONS = [
  'delivery.target-rejected',
  'delivery.target-unreachable',
  'delivery.permanent-failure',
  'delivery.retry-cap-exhausted',
  'delivery.unexpected-error',
] as const;

export type CoreReason = (typeof CORE_REASONS)[number];
export type BridgeReason = (typeof BRIDGE_REASONS)[number];
export type DeliveryReason = (typeof DELIVERY_REASONS)[number];

/**
 * A refusal: what an error answer says in `data` (interface/errors). Anything else thrown is a defect of the server.
 */
export class LedgerError extends Error {
  override readonly name: string = 'LedgerError';
  readonly reason: Reason;
  readonly detail: string;
  /** What goes into `data.custom` of the answer, if anything. */
  declare readonly custom?: JsonObject;

  /** `detail` is text for people, in the interface's wording where it has one. */
  constructor(reason: Reason, detail: string, custom?: JsonObject) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
    this.detail = detail;
    if (custom !== undefined) this.custom = custom;
  }

  /** The HTTP status of the answer. */
  get status(): number {
    return REASONS[this.reason].status;
  }
}

/**
 * A body over the limit: `api.body-malformed` like any unusable body, but answered 413
 * (interface/records#request-bodies).
 */
export class BodyTooLarge extends LedgerError {
  override readonly name = 'BodyTooLarge';

  /** `limit` is the greatest number of bytes a body may have. */
  constructor(limit: number) {
    super('api.body-malformed', `Request body is larger than ${limit} bytes`);
  }

  override get status(): number {
    return 413;
  }
}
