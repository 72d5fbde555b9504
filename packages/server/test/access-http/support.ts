import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { newKey, newLedger, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { bearer } from '../support/token.js';

/** Rules that give one key everything: by what it signs, and by its token. */
export function everythingFor({ public: key }: TestKey): JsonObject[] {
  return [
    { action: 'any', record: 'any', signer: { public: key } },
    { action: 'any', record: 'any', bearer: { $signer: { public: key } } },
  ];
}

/** Lets everyone through the gate, and no further. */
export const GATE: JsonObject = { action: 'access' };

/** A ledger in which the founder may do everything, and others what `rules` say. The client speaks for the founder. */
export function founded(url: string, rules: Json[] = [], config?: JsonObject): Promise<TestClient> {
  const key = newKey();
  return newLedger(url, { key, access: [...everythingFor(key), ...rules], ...(config ? { config } : {}) });
}

/**
 * A ledger under policies, in which the founder may do everything. Policies are made while rules still decide; the last
 * step is to change the strategy.
 */
export async function underPolicies(url: string, policies: JsonObject[]): Promise<TestClient> {
  const founder = await founded(url);
  await putUnderPolicies(founder, policies);
  return founder;
}

/** Puts a ledger of its owner's under access policies: one that lets the owner do everything, and these. */
export async function putUnderPolicies(founder: TestClient, policies: JsonObject[] = []): Promise<void> {
  const operator = { handle: 'operator', schema: 'access', record: 'any', values: everythingFor(founder.key) };
  for (const policy of [operator, ...policies]) await activated(founder, policy);
  const { body } = await readBy(founder, founder.key, '/ledger');
  const data: JsonObject = { ...body.data, config: { 'access.strategy': 'policy-based' } };
  delete data.parent;
  ok(await founder.update('/ledger', body, data));
}

/** Stores a policy and makes it active. */
export async function activated(founder: TestClient, policy: JsonObject): Promise<RecordEnvelope> {
  const data: JsonObject = { schema: 'access', ...policy };
  return statusSet(founder, `/policies/${data.handle}`, await stored(founder, 'policy', data), 'active');
}

/** Sets the status of a stored record. */
export async function statusSet(
  client: TestClient,
  path: string,
  record: RecordEnvelope,
  status: string,
): Promise<RecordEnvelope> {
  const answer = ok(await client.prove(path, record, { status }));
  expect(answer.body.meta.status).toBe(status);
  return answer.body;
}

/** Registers a new key as a signer. */
export async function registered(client: TestClient, handle: string, more: JsonObject = {}): Promise<TestKey> {
  const key = newKey();
  await stored(client, 'signer', { handle, public: key.public, format: 'ed25519-raw', ...more });
  return key;
}

/** Makes a circle with these signers in it. */
export async function circleOf(client: TestClient, handle: string, ...signers: string[]): Promise<RecordEnvelope[]> {
  await stored(client, 'circle', { handle });
  const links: RecordEnvelope[] = [];
  for (const signer of signers) links.push(await stored(client, 'circle-signer', { circle: handle, signer }));
  return links;
}

/** Reads with the token of a key. */
export function readBy(client: TestClient, key: TestKey, path: string, claims?: JsonObject): Promise<TestAnswer> {
  return client.get(path, bearer(key, claims));
}

/** The handles a list shows to a key, in order. */
export async function listedFor(client: TestClient, key: TestKey | undefined, path: string): Promise<string[]> {
  const answer = ok(await client.get(path, key && bearer(key)));
  return answer.body.data.map((record: RecordEnvelope) => record.data.handle);
}

/** Status and, for a refusal, what it says: what rows of tables compare. */
export function outcome({ status, body }: TestAnswer): string {
  return status < 300 ? `${status}` : `${status} ${body.data.detail}`;
}

/** Stores records that differ by handle only. */
export async function storedAll(client: TestClient, name: KindName, data: JsonObject[]): Promise<RecordEnvelope[]> {
  const records: RecordEnvelope[] = [];
  for (const one of data) records.push(await stored(client, name, one));
  return records;
}
