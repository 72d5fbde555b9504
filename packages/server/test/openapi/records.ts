import type { JsonObject } from '@countersign/protocol';
import type { KindName } from '../../src/kinds/kind.js';
import { newKey } from '../support/client.js';

/** Off every network (RFC 5737): the ledger calls no such address, whatever machine the tests run on. */
const ELSEWHERE = 'https://192.0.2.10';

const key = () => ({ public: newKey().public, format: 'ed25519-raw' });

/** Data of the records that the examples are about, in the order in which they are made; `more` makes others alike. */
export const RECORDS: readonly (readonly [kind: KindName, data: (more: string) => JsonObject, secret?: JsonObject])[] =
  [
    ['signer', (more) => ({ handle: `ada${more}`, ...key(), custom: { team: 'tills' } })],
    [
      'signer-factor',
      (more) => ({
        handle: `ada-tablet${more}`,
        signer: 'ada',
        schema: 'key-pair',
        ...key(),
        custom: { of: 'the shop' },
      }),
    ],
    ['domain', (more) => ({ handle: `sales${more}`, custom: { region: 'north' } })],
    [
      'schema',
      (more) => ({
        handle: `daily${more}`,
        record: 'report',
        format: 'json-schema',
        schema: { type: 'object', properties: { custom: { type: 'object', required: ['day'] } } },
      }),
    ],
    ['report', (more) => ({ handle: `takings${more}`, schema: 'daily', custom: { day: '2030-01-01' } })],
    [
      'policy',
      (more) => ({
        handle: `gold${more}`,
        schema: 'access',
        record: 'wallet',
        values: [{ action: 'read', record: 'wallet', filter: { 'custom.tier': 'gold' } }],
      }),
    ],
    ['circle', (more) => ({ handle: `tellers${more}`, custom: { floor: 1 } })],
    ['circle-signer', (more) => ({ circle: 'tellers', signer: `ada${more}` })],
    [
      'bridge',
      (more) => ({
        handle: `bank${more}`,
        schema: 'rest',
        config: { server: `${ELSEWHERE}/v2` },
        secure: [{ schema: 'header', key: 'x-api-key', value: '{{ secret.apiKey }}' }],
        traits: ['debits', 'credits', 'statuses', 'effects'],
      }),
      { apiKey: 'an example, no key' },
    ],
    [
      'effect',
      (more) => ({
        handle: `watch${more}`,
        signal: 'wallet-created',
        filter: { 'wallet.data.custom.tier': 'gold' },
        action: { schema: 'bridge', bridge: 'bank' },
      }),
    ],
    ['symbol', (more) => ({ handle: `usd${more}`, factor: 100 })],
    ['wallet', (more) => ({ handle: `shop${more}`, custom: { tier: 'gold' }, routes: [{ action: 'accept' }] })],
    ['anchor', (more) => ({ handle: `tel:385911${more}`, wallet: 'shop', target: 'account:105', symbol: 'usd' })],
    [
      'intent',
      (more) => ({
        handle: `sale${more}`,
        claims: [
          { action: 'issue', target: { handle: 'shop' }, symbol: { handle: 'usd' }, amount: 2500 },
          {
            action: 'limit',
            wallet: { handle: 'shop' },
            symbol: { handle: 'usd' },
            metric: 'maxBalance',
            amount: 1_000_000,
          },
        ],
      }),
    ],
  ];
