import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import { newLedger, signed, type TestClient, type TestKey } from '../support/client.js';

/** A value of a processing policy. */
export function aspect(action: string, strategy?: string, more: JsonObject = {}): JsonObject {
  const config = strategy === undefined ? {} : { config: { strategy } };
  return { schema: 'aspect', action, invoke: { bridge: 'bank' }, ...config, ...more };
}

/** A new ledger with a wallet `alice`, the bridge `bank` there, and a policy of these values. */
export async function forwardingLedger(
  url: string,
  server: string,
  values: readonly JsonObject[],
  options: {
    access?: Json[];
    key?: TestKey;
    policy?: JsonObject;
    secure?: JsonObject[];
    secret?: JsonObject;
    config?: JsonObject;
  } = {},
): Promise<TestClient> {
  const { policy = {}, secure = [], secret, config = {}, ...ledger } = options;
  const client = await newLedger(url, ledger);
  await made(client, '/wallets', { handle: 'alice' });
  const data = { handle: 'bank', schema: 'rest', config: { server, ...config }, secure };
  const body = signed(data, client.key);
  const answer = await client.call('POST', '/bridges', {
    ...body,
    meta: { ...body.meta, ...(secret ? { secret } : {}) },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  if (values.length > 0) await made(client, '/policies', processing('forwarding', values, policy));
  return client;
}

/** The data of a processing policy. */
export function processing(handle: string, values: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { handle, schema: 'processing', record: 'anchor', values: [...values], ...more };
}

export async function made(client: TestClient, path: string, data: JsonObject): Promise<RecordEnvelope> {
  const answer = await client.create(path, data);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** An anchor of the wallet `alice`. */
export function anchor(handle: string, more: JsonObject = {}): JsonObject {
  return { handle, wallet: 'alice', target: 'account:1', ...more };
}

/** Handles of the anchors that the ledger itself has: without regard to any policy, from their history. */
export async function stored(client: TestClient, handle: string): Promise<boolean> {
  return (await client.get(`/anchors/${handle}/changes`)).status === 200;
}
