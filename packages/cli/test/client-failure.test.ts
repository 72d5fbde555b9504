import { Refusal } from '@countersign/client';
import type { Reason } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { failureOfClient } from '../src/client-failure.js';

/** What the command advises on a refusal of a write. */
function adviceFor(reason: Reason, changes: Partial<Pick<Refusal, 'retryAfter' | 'mayBeDone'>>, detail = 'No.') {
  const refusal = Object.assign(new Refusal({ reason, detail }, 503, false), changes);
  return failureOfClient(refusal)?.more.advice;
}

it('says to look before a write is repeated that may be done, whatever the server says of the time', () => {
  const look = 'look whether the write was done before you repeat it';
  expect(adviceFor('api.unexpected-error', { retryAfter: 60 })).toBe('repeat the command in 60 s');
  expect(adviceFor('api.unexpected-error', { retryAfter: 60, mayBeDone: true })).toBe(look);
  expect(adviceFor('api.request-timeout', { mayBeDone: true })).toBe(look);
  expect(adviceFor('record.duplicated', { mayBeDone: true })).toMatch(/^choose another handle.*; look whether/);
  const readOnly = 'The operator has made the server read-only: Maintenance.';
  expect(adviceFor('api.unexpected-error', { retryAfter: 60 }, readOnly)).toMatch(/^ask the operator/);
});
