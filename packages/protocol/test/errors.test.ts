import { expect, test } from 'vitest';
import {
  BodyTooLarge,
  BRIDGE_REASONS,
  CORE_REASONS,
  DELIVERY_REASONS,
  isReason,
  LedgerError,
  REASONS,
  type Reason,
} from '../src/index.js';

/** interface/errors#reasons, status by status. */
const contract: Record<number, Reason[]> = {
  400: ['api.body-malformed', 'api.query-malformed'],
  401: ['auth.unauthorized'],
  403: ['auth.forbidden'],
  404: ['api.route-not-found', 'record.not-found'],
  408: ['api.request-timeout'],
  409: ['record.duplicated'],
  422: [
    'api.no-tenant-allowed',
    'crypto.hash-invalid',
    'crypto.parent-hash-invalid',
    'crypto.signature-invalid',
    'crypto.signature-missing',
    'record.drop-rejected',
    'record.invalid',
    'record.labels-policy-violation',
    'record.relation-not-found',
    'record.schema-invalid',
    'record.status-policy-violation',
    'record.update-rejected',
  ],
  429: ['api.rate-limit-exceeded'],
  500: ['api.unexpected-error', 'bridge.proxy-response-invalid', 'forward.unexpected-error'],
  502: ['forward.invalid-response'],
};

test('the table is the interface, no reason more or less', () => {
  const table: Record<number, string[]> = {};
  for (const [reason, { status, meaning }] of Object.entries(REASONS)) {
    table[status] = [...(table[status] ?? []), reason];
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  }
  for (const reasons of Object.values(table)) reasons.sort();
  expect(table).toEqual(contract);
});

test('reasons without a status stay out of the table', () => {
  const others = [...CORE_REASONS, ...BRIDGE_REASONS, ...DELIVERY_REASONS];
  expect(others).toHaveLength(13 + 26 + 5);
  expect(new Set(others).size).toBe(others.length);
  for (const reason of others) {
    expect(reason).toMatch(/^(core|bridge|delivery)\.[a-z]+(-[a-z]+)*$/);
    expect(isReason(reason)).toBe(false);
  }
});

test('isReason knows the table and not the members of objects', () => {
  expect(isReason('record.not-found')).toBe(true);
  expect(isReason('toString')).toBe(false);
  expect(isReason('')).toBe(false);
});

test('an error carries reason, detail, status, and custom only when given', () => {
  const error = new LedgerError('record.not-found', 'Wallet not found');
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'LedgerError',
    reason: 'record.not-found',
    detail: 'Wallet not found',
    status: 404,
  });
  expect(error.message).toBe('record.not-found: Wallet not found');
  expect('custom' in error).toBe(false);
  const custom = { symbols: ['eur'] };
  expect(new LedgerError('record.drop-rejected', 'No', custom).custom).toBe(custom);
});

test('a body too large has the reason of a malformed one and status 413', () => {
  const error = new BodyTooLarge(1_048_576);
  expect(error).toBeInstanceOf(LedgerError);
  expect(error.reason).toBe('api.body-malformed');
  expect(error.status).toBe(413);
  expect(error.detail).toBe('Request body is larger than 1048576 bytes');
});
