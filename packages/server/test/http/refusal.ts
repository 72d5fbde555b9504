import { hash as hashOf, REASONS, type Reason, verifyProof } from '@countersign/protocol';
import { expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import type { TestClient } from '../support/client.js';
import type { RunningServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked at, whatever they are
  readonly body: any;
}

interface Expected {
  readonly reason: Reason;
  readonly detail?: string | RegExp;
  /** The status of the reason, unless given. */
  readonly status?: number;
  /** The key of the ledger that must have signed; null when no ledger is resolved. */
  readonly signedBy: string | null;
}

/** Asserts that an answer is the error expected, hashed and signed as interface/errors says. */
export function expectRefusal(answer: Answer, { reason, detail, status, signedBy }: Expected): void {
  expect(answer.body?.data, answer.text.slice(0, 500)).toMatchObject({ reason });
  expect(answer.status).toBe(status ?? REASONS[reason].status);
  const { hash, data, meta } = answer.body;
  expect(Object.keys(answer.body)).toEqual(['hash', 'data', 'meta']);
  if (detail instanceof RegExp) expect(data.detail).toMatch(detail);
  else if (detail !== undefined) expect(data.detail).toBe(detail);
  expect(hash).toBe(hashOf(data, native));
  expect(meta.moment).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(meta.proofs).toHaveLength(signedBy === null ? 0 : 1);
  if (signedBy === null) return;
  expect(meta.proofs[0]).toMatchObject({ public: signedBy, signer: 'system', custom: { moment: meta.moment } });
  expect(verifyProof(hash, meta.proofs[0], native)).toBe(true);
}

/** The key of the client's ledger. */
export async function systemKey(client: TestClient): Promise<string> {
  return (await client.get('/signers/system')).body.data.public;
}

/** How many changes the server has stored so far, in all ledgers. */
export async function storedChanges({ database }: RunningServer): Promise<number> {
  const text = 'select count(*)::int as changes from change';
  const [row] = await runSql<{ changes: number }>(database.url, text);
  return row!.changes;
}
