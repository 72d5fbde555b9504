import type { Json, JsonObject } from '@countersign/protocol';
import { everythingFor, founded, GATE, registered } from '../access-http/support.js';
import { newKey, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { stored } from '../support/scene.js';

/** A ledger that is divided, and one who has every right in one of its domains and no other. */
export interface Divided {
  /** May do everything. */
  readonly founder: TestClient;
  /** May do everything in `sales`, whose records they may also read, and nothing elsewhere. */
  readonly admin: TestClient;
  /** The key of `boss`, a signer outside every domain who may do everything. */
  readonly boss: TestKey;
}

/** Domains `sales` with `eu@sales` below, and `bank`; the ledger has `rules` beside the founder's and boss's. */
export async function divided(url: string, rules: Json[] = [], config?: JsonObject): Promise<Divided> {
  const boss: Json[] = [
    { action: 'any', record: 'any', signer: { handle: 'boss' } },
    { action: 'any', record: 'any', bearer: { $signer: { handle: 'boss' } } },
  ];
  const founder = await founded(url, [GATE, ...boss, ...rules], config);
  const key = newKey();
  await stored(founder, 'domain', { handle: 'sales', access: everythingFor(key) });
  await stored(founder, 'domain', { handle: 'eu@sales' });
  await stored(founder, 'domain', { handle: 'bank' });
  return { founder, admin: founder.as(key), boss: await registered(founder, 'boss') };
}

/** A create whose proof names a domain. */
export function createIn(client: TestClient, path: string, domain: string, data: JsonObject): Promise<TestAnswer> {
  return client.create(path, data, { status: 'created', domain });
}

export const signerData = (handle: string, more: JsonObject = {}): JsonObject => ({
  handle,
  public: newKey().public,
  format: 'ed25519-raw',
  ...more,
});

export const factorData = (handle: string, signer: string, { public: key }: TestKey = newKey()): JsonObject => ({
  handle,
  signer,
  schema: 'key-pair',
  format: 'ed25519-raw',
  public: key,
});

export const schemaFor = (record: string, handle: string, schema: JsonObject = {}): JsonObject => ({
  handle,
  record,
  format: 'json-schema',
  schema,
});

export const bridgeData = (handle: string, server = 'https://bridge.example/v2'): JsonObject => ({
  handle,
  schema: 'rest',
  config: { server },
  secure: [],
});

export const effectData = (handle: string, more: JsonObject = {}): JsonObject => ({
  handle,
  signal: 'wallet-created',
  action: { endpoint: 'https://example.com' },
  ...more,
});
