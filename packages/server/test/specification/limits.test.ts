import type { Json, JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { accessLimits } from '../../src/access/access-limits.js';
import { handleLimits } from '../../src/base/handle.js';
import { jsonLimits } from '../../src/base/json-limits.js';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { bridgeLimits } from '../../src/kinds/bridge.js';
import { intentLimits } from '../../src/kinds/intent.js';
import { routeLimits } from '../../src/kinds/wallet.js';
import { recordLimits } from '../../src/records/record-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

const ledger = (): Promise<TestClient> => newLedger(server.current.url);

function post(client: TestClient, data: JsonObject, path = '/wallets'): Promise<TestAnswer> {
  return client.call('POST', path, signed(data, client.key));
}

function expectStored({ status, text }: TestAnswer): void {
  expect(status, text.slice(0, 1_000)).toBe(201);
}

const many = <T>(count: number, one: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => one(index));

describe('Limits', () => {
  it(`Proofs per record (meta.proofs) | ${recordLimits.proofs} by default`, async () => {
    const client = await ledger();
    const record = await stored(client, 'wallet', { handle: 'w' });
    for (let count = record.meta.proofs.length; count < recordLimits.proofs; count += 1) {
      ok(await client.prove('/wallets/w', record, { count }));
    }
    const { proofs } = (await client.get('/wallets/w')).body.meta;
    expect(proofs).toHaveLength(recordLimits.proofs);
    const detail = `Record proofs limit of ${recordLimits.proofs} exceeded`;
    expectRefusal(await client.prove('/wallets/w', record, { status: 'active' }), client, 'record.invalid', detail);
    expect((await client.get('/wallets/w')).body.meta.proofs).toEqual(proofs);
  });

  it('Handle characters | letters, digits, underscore, hyphen, plus, dot; at least one character', async () => {
    const client = await ledger();
    for (const handle of ['a', 'Az09_-+.', `x`.repeat(handleLimits.characters)])
      expectStored(await post(client, { handle }));
    for (const handle of ['', ' ', 'a b', 'a/b', 'a\\b', 'ü', '日', 'a,b', '$a', 'a@', 'a\n', 'a%20', '<a>']) {
      const detail = /^Schema validation error: request\/body\/data\/handle must be a handle: /;
      expectRefusal(await post(client, { handle }), client, 'record.schema-invalid', detail);
    }
    for (const handle of [1, null, ['a'], { a: 1 }] as Json[]) {
      const detail = 'Schema validation error: request/body/data/handle must be string';
      expectRefusal(await post(client, { handle }), client, 'record.schema-invalid', detail);
    }
    expect((await client.get('/wallets')).body.data).toHaveLength(3);
  });
});

describe('Limits the specification leaves open (interface/limits)', () => {
  it(`${handleLimits.characters} characters of a handle`, async () => {
    const client = await ledger();
    expectStored(await post(client, { handle: 'x'.repeat(handleLimits.characters) }));
    const detail = `Schema validation error: request/body/data/handle must NOT have more than ${handleLimits.characters} characters`;
    const longer = await post(client, { handle: 'x'.repeat(handleLimits.characters + 1) });
    expectRefusal(longer, client, 'record.schema-invalid', detail);
  });

  it(`${bodyLimits.bytes} bytes of a body`, async () => {
    const client = await ledger();
    const sized = (handle: string, bytes: number): string => {
      const body = (pad: number) => JSON.stringify(signed({ handle, custom: { pad: 'x'.repeat(pad) } }, client.key));
      return body(bytes - Buffer.byteLength(body(0)));
    };
    expectStored(await client.call('POST', '/wallets', sized('most', bodyLimits.bytes)));
    const more = await client.call('POST', '/wallets', sized('more', bodyLimits.bytes + 1));
    expect(more.status).toBe(413);
    expect(more.body.data).toEqual({
      reason: 'api.body-malformed',
      detail: `Request body is larger than ${bodyLimits.bytes} bytes`,
    });
    expect(more.body.meta.proofs[0].signer).toBe('system');
    expect((await client.get('/wallets/more')).status).toBe(404);
  });

  it(`${jsonLimits.depth} arrays and objects within one another`, async () => {
    const client = await ledger();
    // The body, its data and custom are three of them.
    const nested = (depth: number) => ({ nest: JSON.parse('['.repeat(depth - 3) + ']'.repeat(depth - 3)) });
    expectStored(await post(client, { handle: 'most', custom: nested(jsonLimits.depth) }));
    const more = await post(client, { handle: 'more', custom: nested(jsonLimits.depth + 1) });
    expectRefusal(
      more,
      client,
      'api.body-malformed',
      /^JSON body is nested deeper than 64 levels, at '\/data\/custom\/nest/,
    );
  });

  it(`${jsonLimits.values} values in a body`, async () => {
    const client = await ledger();
    const body = (handle: string, elements: number) =>
      signed({ handle, custom: { list: many(elements, () => 0) } }, client.key);
    const others = JSON.stringify(body('most', 0)).match(/":|\{"method/g)?.length ?? 0;
    expectStored(await client.call('POST', '/wallets', body('most', jsonLimits.values - others)));
    const more = await client.call('POST', '/wallets', body('more', jsonLimits.values - others + 1));
    expectRefusal(
      more,
      client,
      'api.body-malformed',
      new RegExp(`^JSON body holds more than ${jsonLimits.values} values`),
    );
  });

  it.each([
    ['claims', 'claims of an intent', '/intents', intentLimits.claims],
    ['routes', 'routes of a wallet', '/wallets', routeLimits.count],
    ['secure', 'security rules of a bridge', '/bridges', bridgeLimits.secure],
    ['traits', 'traits of a bridge', '/bridges', bridgeLimits.traits],
    ['access', 'rules of a record', '/symbols', accessLimits.rules],
    ['values', 'rules of a policy', '/policies', accessLimits.rules],
  ])('%s: %s (%s) are at most %i', async (member, _, path, most) => {
    const client = await ledger();
    const elements: Record<string, Json> = {
      claims: { action: 'issue', target: 'alice', symbol: 'usd', amount: 1 },
      routes: { action: 'accept' },
      secure: { schema: 'header', key: 'x', value: '{{ secret.a }}' },
      traits: 'debits',
      access: { action: 'read' },
      values: { action: 'read', record: 'wallet' },
    };
    const rest: Record<string, JsonObject> = {
      '/intents': {},
      '/wallets': {},
      '/bridges': { schema: 'rest', config: { server: 'https://bridge.example' }, secure: [] },
      '/symbols': { factor: 1 },
      '/policies': { schema: 'access' },
    };
    const send = (handle: string, count: number) => {
      const list = many(count, () => elements[member] as Json);
      const body = signed({ handle, ...rest[path], [member]: list }, client.key);
      return client.call('POST', path, { ...body, meta: { ...body.meta, secret: { a: 'value' } } });
    };
    expectStored(await send('most', most));
    const detail = new RegExp(`request/body/data/${member} must NOT have more than ${most} items`);
    expectRefusal(await send('more', most + 1), client, 'record.schema-invalid', detail);
    expect((await client.get(`${path}/more`)).status).toBe(404);
  });

  it('amounts of claims are integers, 1 to 9007199254740991', async () => {
    const client = await ledger();
    const send = (handle: string, amount: number) =>
      post(client, { handle, claims: [{ action: 'issue', target: 'a', symbol: 'usd', amount }] }, '/intents');
    expectStored(await send('least', 1));
    expectStored(await send('most', Number.MAX_SAFE_INTEGER));
    for (const amount of [0, -1, 1.5]) {
      expectRefusal(
        await send('refused', amount),
        client,
        'record.schema-invalid',
        /request\/body\/data\/claims\/0\/amount/,
      );
    }
    const beyond = JSON.stringify(signed({ handle: 'refused', claims: [] }, client.key)).replace(
      '[]',
      '[9007199254740992]',
    );
    const answer = await client.call('POST', '/intents', beyond);
    expectRefusal(answer, client, 'api.body-malformed', /^JSON body holds a number that cannot be represented exactly/);
  });
});

describe('A body that could not be kept as it is (interface/records#request-bodies)', () => {
  it.each([
    ['no JSON', '{"hash": }'],
    ['half of one', '{"data":{"handle":"w"'],
    ['a number too large', '{"data":{"handle":"w","custom":{"n":1e400}}}'],
    ['a number beyond 2^53', '{"data":{"handle":"w","custom":{"n":9007199254740993}}}'],
    ['U+0000', '{"data":{"handle":"w","custom":{"t":"a\\u0000b"}}}'],
    ['U+0000 in a key', '{"data":{"handle":"w","custom":{"a\\u0000b":1}}}'],
    ['a lone surrogate', '{"data":{"handle":"w","custom":{"t":"\\ud800"}}}'],
    ['__proto__', '{"data":{"handle":"w","custom":{"__proto__":{"a":1}}}}'],
    ['constructor.prototype', '{"data":{"handle":"w","custom":{"constructor":{"prototype":{}}}}}'],
    ['100 levels', `{"data":{"handle":"w","custom":{"n":${'['.repeat(100)}${']'.repeat(100)}}}}`],
  ])('%s: 400 api.body-malformed, nothing stored', async (_, body) => {
    const client = await ledger();
    for (const [method, path] of [
      ['POST', '/wallets'],
      ['PUT', '/wallets/w'],
      ['DELETE', '/wallets/w'],
      ['POST', '/wallets/w/proofs'],
      ['POST', '/wallets/w/access/!check'],
    ] as const) {
      const answer = await client.call(method, path, body);
      expect(answer.status).toBe(400);
      expectRefusal(answer, client, 'api.body-malformed', /^(Malformed JSON body|JSON body )/);
    }
    expect((await client.get('/wallets')).body.data).toEqual([]);
  });

  it('of another content type, or none: 422 record.schema-invalid', async () => {
    const client = await ledger();
    const body = JSON.stringify(signed({ handle: 'w' }, client.key));
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream']) {
      const answer = await client.call('POST', '/wallets', body, { 'content-type': type });
      const detail =
        'Schema validation error: request/body must be object, sent as JSON with content-type: application/json';
      expectRefusal(answer, client, 'record.schema-invalid', detail);
    }
    expectStored(await client.call('POST', '/wallets', body, { 'content-type': 'application/json; charset=utf-8' }));
  });

  it('a path that is no text: 400, and the same for one that is too long: nothing found', async () => {
    const client = await ledger();
    const malformed = await client.get('/wallets/%E0%A4%A');
    expectRefusal(malformed, client, 'api.query-malformed', 'Malformed percent-encoding in the path');
    expectRefusal(await client.get('/wallets/a%00b'), client, 'record.not-found', 'Wallet not found');
    expect((await client.get(`/wallets/${'x'.repeat(2_000)}`)).status).toBe(404);
  });
});
