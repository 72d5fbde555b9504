import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { withServer } from '../support/server.js';

const server = withServer();

const JSON_WANTED =
  'Schema validation error: request/body must be object, sent as JSON with content-type: application/json';

describe('the detail of a refusal, which is all that the public client shows', () => {
  const claim = { action: 'issue', target: 'w', symbol: 'usd', amount: 1 };
  it.each<[what: string, claim: JsonObject, detail: string]>([
    ['a bad amount', { ...claim, amount: 0 }, '/amount must be > 0'],
    ['an amount with a point', { ...claim, action: 'transfer', source: 'v', amount: 1.5 }, '/amount must be integer'],
    ['a missing source', { ...claim, action: 'transfer' }, " must have required property 'source'"],
    [
      'a bad metric',
      { action: 'limit', wallet: 'w', symbol: 'usd', amount: 0 },
      " must have required property 'metric'",
    ],
    [
      'an unknown action',
      { ...claim, action: 'pay' },
      '/action must be equal to one of the allowed values: issue, transfer, destroy, limit',
    ],
    ['no action', { target: 'w', symbol: 'usd', amount: 1 }, " must have required property 'action'"],
  ])('tells what is wrong with the claim that was meant: %s', async (_, wrong, what) => {
    const client = await newLedger(server.current.url);
    const answer = await client.create('/intents', { handle: 'i', claims: [wrong, claim] });
    expectRefusal(
      answer,
      client,
      'record.schema-invalid',
      `Schema validation error: request/body/data/claims/0${what}`,
    );
    expect(answer.body.data.custom.errors).toHaveLength(5);
  });

  it('tells what a handle is', async () => {
    const client = await newLedger(server.current.url);
    const detail =
      'Schema validation error: request/body/data/handle must be a handle: letters, digits, _, -, + and ., such as shop, ' +
      'user@acme or tel:123@acme';
    const answer = await client.create('/wallets', { handle: 'my shop' });
    expectRefusal(answer, client, 'record.schema-invalid', detail);
    expect(answer.body.data.custom.errors[0].message).toMatch(/^must match pattern /);
  });

  it('tells that the data is missing, rather than its hash', async () => {
    const client = await newLedger(server.current.url);
    const detail = "Schema validation error: request/body must have required property 'data'";
    expectRefusal(await client.call('POST', '/wallets', {}), client, 'record.schema-invalid', detail);
  });

  it('tells how JSON is sent, where none came', async () => {
    const client = await newLedger(server.current.url);
    for (const type of ['text/plain', 'application/octet-stream', undefined]) {
      const headers = { 'x-ledger': client.ledger ?? '', ...(type === undefined ? {} : { 'content-type': type }) };
      const body = type === undefined ? undefined : '{"data":{}}';
      const response = await fetch(`${server.current.url}/wallets`, {
        method: 'POST',
        headers,
        ...(body ? { body } : {}),
      });
      expect([response.status, ((await response.json()) as { data: { detail: string } }).data.detail]).toEqual([
        422,
        JSON_WANTED,
      ]);
    }
  });
});
