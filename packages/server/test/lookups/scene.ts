import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import type { TestBridge } from '../forward/bridge.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, proofOver, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';

/** The ways to ask for the anchors of a wallet, and its domains. */
export const WAYS = ['anchors', 'lookup', 'domains'] as const;
export type Way = (typeof WAYS)[number];

/** Data of an anchor of a wallet. */
export function anchorOf(wallet: string, handle: string, more: JsonObject = {}): JsonObject {
  return { handle, wallet, target: 'account:1', ...more };
}

export function lookupPath(address: string): string {
  return `/wallets/${address}/anchors/!lookup`;
}

/** A signed lookup at an address. */
export function lookUp(client: TestClient, address: string, more: JsonObject = {}): Promise<TestAnswer> {
  return client.call('POST', lookupPath(address), signed({ wallet: address, ...more }, client.key, {}));
}

/** Asks in one of the ways. */
export function ask(client: TestClient, way: Way, address: string, headers?: Record<string, string>) {
  if (way !== 'lookup') return client.get(`/wallets/${address}/${way}`, headers);
  return client.call('POST', lookupPath(address), signed({ wallet: address }, client.key, {}), headers);
}

/** What a bridge says of what it was asked in that way. */
export function traitOf(way: Way): 'anchors' | 'domains' {
  return way === 'domains' ? 'domains' : 'anchors';
}

/** A bridge at that server. */
export function storeBridge(client: TestClient, handle: string, server: string, more: JsonObject = {}) {
  const { secret, ...data } = more;
  const config = { server };
  return stored(client, 'bridge', { handle, schema: 'rest', config, secure: [], ...data }, secret as JsonObject);
}

/** A bridge and a wallet that it keeps. */
export async function storeBridged(client: TestClient, server: string, more: JsonObject = {}, wallet = 'acc') {
  await storeBridge(client, 'bank', server, more);
  await stored(client, 'wallet', { handle: wallet, bridge: 'bank' });
}

/** A ledger with a wallet `acc` that the bridge `bank` keeps. */
export async function bridgedLedger(url: string, { url: server }: TestBridge, more?: JsonObject): Promise<TestClient> {
  const client = await newLedger(url);
  await storeBridged(client, server, more);
  return client;
}

/** A signed list of data, as bridges answer lookups. */
export function listed(bridge: TestBridge, items: readonly JsonObject[]): JsonObject {
  const hash = hashOf([...items], native);
  return { hash, data: [...items], meta: { proofs: [{ ...proofOver(hash, bridge.key) }] } };
}

/** Has the bridge answer every lookup with these. */
export function answerWith(bridge: TestBridge, ...items: JsonObject[]): void {
  bridge.instead = () => ({ status: 200, body: listed(bridge, items) });
}

export function handlesIn(answer: TestAnswer): unknown[] {
  return ok(answer).body.data.map(({ data }: { data: JsonObject }) => data.handle);
}

const detailOf = (way: Way) => `Invalid response from bridge while querying ${traitOf(way)}`;

/** The bridge answered something that is no answer. */
export function expectInvalid(answer: TestAnswer, client: TestClient, way: Way): void {
  expectRefusal(answer, client, 'bridge.proxy-response-invalid', detailOf(way));
}

/** The bridge gave no answer, or did not do what it was asked. */
export function expectNoAnswer(answer: TestAnswer, client: TestClient, way: Way): void {
  expect(answer.status, answer.text).toBe(502);
  expectInvalid({ ...answer, status: 500 }, client, way);
}
