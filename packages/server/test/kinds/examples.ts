import type { JsonObject } from '@countersign/protocol';
import type { KindName } from '../../src/kinds/kind.js';

/** A record to be stored before another can name it. */
export interface Needed {
  readonly kind: KindName;
  readonly data: JsonObject;
}

/** Valid data of a kind. Handles other than the record's own are derived from it, so examples never meet. */
export interface Example {
  /** What `minimal` and `full` name and must exist, in the order to be created. */
  needs?(handle: string): readonly Needed[];
  minimal(handle: string): JsonObject;
  full(handle: string): JsonObject;
  /** `meta.secret` of a request that carries `full`. */
  readonly secret?: JsonObject;
}

export const PUBLIC_KEY = '6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';

const access = [{ action: 'any', record: 'any' }];
const custom = { note: 'café', rank: 1.5, tags: ['a', { b: null }] };

const signer = (handle: string): Needed => ({
  kind: 'signer',
  data: { handle, public: PUBLIC_KEY, format: 'ed25519-raw' },
});

export const examples: Readonly<Record<KindName, Example>> = {
  ledger: {
    minimal: (handle) => ({ handle, signer: 'system' }),
    full: (handle) => ({
      handle,
      signer: 'system',
      custom,
      access,
      config: { 'access.strategy': 'record-based', 'intent.expiryThresholdMinutes': 60, 'x.unknown': [1] },
    }),
  },
  signer: {
    minimal: (handle) => ({ handle, public: PUBLIC_KEY, format: 'ed25519-raw' }),
    full: (handle) => ({ handle, public: PUBLIC_KEY, format: 'ed25519-raw', secret: 'ciphertext', custom, access }),
  },
  'signer-factor': {
    needs: (handle) => [signer(`${handle}-owner`)],
    minimal: (handle) => ({ handle, signer: `${handle}-owner`, schema: 'otp' }),
    full: (handle) => ({
      handle,
      signer: `${handle}-owner`,
      schema: 'key-pair',
      format: 'ed25519-raw',
      public: PUBLIC_KEY,
      secret: '{{ secret.private1 }}',
      custom,
      access,
    }),
    secret: { private1: 'the private key' },
  },
  domain: {
    minimal: (handle) => ({ handle }),
    full: (handle) => ({ handle, custom, access }),
  },
  report: {
    needs: (handle) => [
      {
        kind: 'schema',
        data: { handle: `${handle}-schema`, record: 'report', format: 'json-schema', schema: { type: 'object' } },
      },
    ],
    minimal: (handle) => ({ handle, schema: `${handle}-schema` }),
    full: (handle) => ({
      handle,
      schema: `${handle}-schema`,
      custom: { start_timestamp: '2030-01-01T00:00:00.000Z', end_timestamp: '2030-01-02T00:00:00.000Z' },
      access,
    }),
  },
  policy: {
    minimal: (handle) => ({ handle, schema: 'labels', values: [] }),
    full: (handle) => ({
      handle,
      schema: 'access',
      record: 'wallet',
      values: [{ action: 'read', record: 'wallet', filter: { 'custom.tier': 'gold' } }],
      extend: `${handle}-base`,
      custom,
      access,
    }),
  },
  schema: {
    minimal: (handle) => ({ handle, record: 'anchor-lookup', format: 'json-schema', schema: {} }),
    full: (handle) => ({
      handle,
      record: 'anchor-lookup',
      format: 'json-schema',
      schema: { type: 'object', required: ['wallet'], properties: { wallet: { type: 'string' } } },
      extend: `${handle}-base`,
      custom,
      access,
    }),
  },
  effect: {
    minimal: (handle) => ({ handle, signal: 'wallet-dropped', action: { bridge: `${handle}-bridge` } }),
    full: (handle) => ({
      handle,
      signal: 'report-created',
      filter: { 'report.data.schema': 'daily' },
      action: { schema: 'webhook', endpoint: 'https://hooks.example/events?from=ledger' },
      custom,
      access,
    }),
  },
  circle: {
    minimal: (handle) => ({ handle }),
    full: (handle) => ({ handle, custom, access }),
  },
  'circle-signer': {
    needs: (handle) => [{ kind: 'circle', data: { handle: `${handle}-circle` } }, signer(handle)],
    minimal: (handle) => ({ circle: `${handle}-circle`, signer: handle }),
    full: (handle) => ({ circle: `${handle}-circle`, signer: handle, custom }),
  },
  anchor: {
    needs: (handle) => [{ kind: 'wallet', data: { handle: `${handle}-wallet` } }],
    minimal: (handle) => ({ handle, wallet: `${handle}-wallet`, target: 'jane' }),
    full: (handle) => ({
      handle,
      wallet: `${handle}-wallet`,
      target: { handle: 'account:105', custom },
      symbol: 'usd',
      source: 'joe',
      amount: -3,
      custom,
      access,
    }),
  },
  wallet: {
    needs: (handle) => [{ kind: 'bridge', data: bridge(`${handle}-bridge`) }],
    minimal: (handle) => ({ handle }),
    full: (handle) => ({
      handle,
      bridge: `${handle}-bridge`,
      routes: [
        { action: 'accept' },
        { action: 'forward', filter: { 'symbol.handle': 'eur' }, target: 'account:105@bank' },
      ],
      custom,
      access,
    }),
  },
  intent: {
    minimal: (handle) => ({
      handle,
      claims: [{ action: 'issue', target: { handle: 'alice' }, symbol: { handle: 'usd' }, amount: 1 }],
    }),
    full: (handle) => ({
      handle,
      claims: [
        { action: 'issue', target: { handle: 'alice', custom }, symbol: { handle: 'usd' }, amount: 10_000 },
        { action: 'transfer', source: 'alice', target: 'tel:385@acc', symbol: 'usd', amount: 5, custom },
        { action: 'destroy', source: { handle: 'alice' }, symbol: { handle: 'usd' }, amount: 5 },
        { action: 'limit', wallet: { handle: 'alice' }, symbol: 'usd', metric: 'minBalance', amount: -20_000 },
      ],
      config: { commit: 'auto' },
      custom,
      access,
    }),
  },
  symbol: {
    minimal: (handle) => ({ handle, factor: 1 }),
    full: (handle) => ({ handle, factor: 1_000_000_000_000_000, custom, access }),
  },
  bridge: {
    minimal: bridge,
    full: (handle) => ({
      handle,
      schema: 'rest',
      config: {
        server: 'https://bridge.example/v2',
        'debits.claims.groupBy': 'address',
        'credits.claims.groupBy': 'wallet',
      },
      secure: [
        {
          schema: 'oauth2',
          clientId: 'ledger',
          clientSecret: '{{ secret.client }}',
          tokenUrl: 'https://id.example/token',
          scope: 'debits',
        },
        { schema: 'header', key: 'x-api-key', value: '{{ secret.apiKey }}' },
        { schema: 'rsa', public: 'public key', secret: '{{ secret.apiKey }}' },
      ],
      traits: ['debits', 'credits', { method: 'anchors', filter: { 'data.custom.a': 1 } }],
      custom,
      access,
    }),
    secret: { client: 'c', apiKey: 'k' },
  },
};

function bridge(handle: string): JsonObject {
  return { handle, schema: 'rest', config: { server: 'http://127.0.0.1:9/v2' }, secure: [] };
}
