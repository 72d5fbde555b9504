import type { Reason } from '@countersign/protocol';

/** Reasons for which every operation in a ledger can be refused. */
export const EVERY_OPERATION: readonly Reason[] = [
  'api.query-malformed',
  'auth.unauthorized',
  'auth.forbidden',
  'api.route-not-found',
  'api.request-timeout',
  'api.unexpected-error',
];

/** The same for requests with a proof. */
export const PROVED: readonly Reason[] = [
  ...EVERY_OPERATION,
  'api.body-malformed',
  'api.rate-limit-exceeded',
  'record.schema-invalid',
  'crypto.signature-missing',
  'crypto.signature-invalid',
  'record.invalid',
];

/** The same for requests with signed data. */
export const SIGNED: readonly Reason[] = [...PROVED, 'crypto.hash-invalid'];
