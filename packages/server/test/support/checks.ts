import {
  hash as hashOf,
  type Json,
  type JsonObject,
  REASONS,
  type Reason,
  type RecordEnvelope,
  type StoredProof,
  verifyProof,
} from '@countersign/protocol';
import { expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { systemKeyOf, type TestAnswer, type TestClient } from './client.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * The one proof of what is signed for an answer, and not stored: a list, an error, an item
 * (interface/proofs#proofs-of-the-ledger).
 */
function expectFreshProof(proofs: StoredProof[], hash: string, client: TestClient): void {
  expect(proofs).toHaveLength(1);
  const proof = proofs[0] as StoredProof;
  expect(Object.keys(proof)).toEqual(['method', 'public', 'digest', 'result', 'custom', 'origin', 'signer']);
  expect(proof).toMatchObject({ signer: 'system', origin: 'key-pair', public: systemKeyOf(client) });
  expect(Object.keys(proof.custom ?? {})).toEqual(['moment']);
  expect(verifyProof(hash, proof, native)).toBe(true);
}

/**
 * The answer is this error, whole: status, body, and the signature of the client's ledger, or none outside all ledgers
 * (interface/errors).
 *
 * @param custom `custom` of the error; unless given there must be none, or a list of errors where the data is invalid
 */
export function expectRefusal(
  answer: TestAnswer,
  client: TestClient,
  reason: Reason,
  detail: string | RegExp,
  custom?: JsonObject,
): void {
  const { hash, data, meta } = answer.body ?? {};
  expect({ status: answer.status, reason: data?.reason }, answer.text).toEqual({
    status: REASONS[reason].status,
    reason,
  });
  expect(data.detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
  expect(answer.headers.get('content-type')).toBe(JSON_TYPE);
  expect(Object.keys(answer.body)).toEqual(['hash', 'data', 'meta']);
  expect(hash).toBe(hashOf(data as Json, native));
  // What a hint says is tested in hints/; wherever one is, it is a sentence.
  const { hint = 'A hint.', ...others } = data.custom ?? {};
  expect(hint).toMatch(/^[^\n]{5,300}\.$/);
  if (custom) expect(others).toEqual(custom);
  else if (reason !== 'record.schema-invalid') {
    expect(others).toEqual({});
    expect(Object.keys(data)).toEqual(
      data.custom === undefined ? ['reason', 'detail'] : ['reason', 'detail', 'custom'],
    );
  }
  expect(Object.keys(meta)).toEqual(['proofs', 'moment']);
  expect(meta.moment).toMatch(MOMENT);
  if (client.ledger === undefined) expect(meta.proofs).toEqual([]);
  else expectFreshProof(meta.proofs, hash, client);
}

/** The answer is a list, hashed and signed (interface/lists); gives its data. */
export function expectList(answer: TestAnswer, client: TestClient, page?: JsonObject): RecordEnvelope[] {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toBe(JSON_TYPE);
  const { hash, meta, data } = answer.body;
  expect(Object.keys(answer.body)).toEqual(page ? ['hash', 'meta', 'data', 'page'] : ['hash', 'meta', 'data']);
  if (page) expect(answer.body.page).toEqual(page);
  expect(hash).toBe(hashOf(data, native));
  expect(Object.keys(meta)).toEqual(['proofs', 'moment']);
  if (client.ledger === undefined) expect(meta.proofs).toEqual([]);
  else expectFreshProof(meta.proofs, hash, client);
  return data;
}

/** Each item of an access check is signed by itself (interface/access#access-check); gives the rules. */
export function expectRules(answer: TestAnswer, client: TestClient): JsonObject[] {
  const items = expectList(answer, client);
  return items.map(({ hash, data, meta, ...others }) => {
    expect(others).toEqual({});
    expect(hash).toBe(hashOf(data, native));
    expect(Object.keys(meta)).toEqual(['proofs', 'moment']);
    expectFreshProof(meta.proofs, hash, client);
    return data;
  });
}

/** A record as every write and read answers it: form, hash of the data as it was sent, and each proof verified. */
export function expectRecord(answer: TestAnswer, status: number, sent: JsonObject): RecordEnvelope {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers.get('content-type')).toBe(JSON_TYPE);
  const record: RecordEnvelope = answer.body;
  expect(Object.keys(record)).toEqual(['hash', 'data', 'luid', 'meta']);
  expect(record.hash).toBe(hashOf(sent, native));
  expect(record.meta.moment).toMatch(MOMENT);
  for (const proof of record.meta.proofs) expect(verifyProof(record.hash, proof, native)).toBe(true);
  return record;
}
