import { hash as hashOf } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, signed, type TestClient } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { ok, stored } from '../support/scene.js';
import { startServer, withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

const ledger = (options = {}): Promise<TestClient> => newLedger(server.current.url, options);

describe('Record API error body: { hash, data: { reason, detail, custom? }, meta: { proofs } }', () => {
  it('auth.unauthorized | token invalid | text message', async () => {
    const client = await ledger();
    const { authorization = '' } = bearer(client.key);
    const [head = '', claims = '', signature = ''] = authorization.split('.');
    const expired = bearer(client.key, { iat: 1_000, exp: 2_000 });
    for (const token of [
      'Bearer',
      'Bearer x',
      `Basic ${head}`,
      `${head}.${claims}.`,
      `${head}.${claims}.${signature.slice(0, -4)}AAAA`,
      `${authorization}.x`,
      expired.authorization ?? '',
      bearer(client.key, { iss: '' }).authorization ?? '',
    ]) {
      // A bad token counts whatever the rules: this ledger is open to everyone.
      for (const answer of [
        await client.get('/wallets', { authorization: token }),
        await client.call('POST', '/wallets', signed({ handle: 'w' }, client.key), { authorization: token }),
      ]) {
        expectRefusal(answer, client, 'auth.unauthorized', 'Invalid token.');
      }
    }
    expect((await client.get('/wallets', bearer(client.key))).body.data).toEqual([]);
  });

  it('auth.forbidden | signer not authorized for the request | text message', async () => {
    const key = newKey();
    const client = await ledger({ key, access: [{ action: 'any', record: 'any', signer: { public: key.public } }] });
    await stored(client, 'wallet', { handle: 'w' });
    const stranger = client.as(newKey());
    expectRefusal(
      await stranger.create('/wallets', { handle: 'v' }),
      client,
      'auth.forbidden',
      'Cannot create wallet.',
    );
    const read = await client.get('/wallets/w', bearer(stranger.key));
    expectRefusal(read, client, 'auth.forbidden', 'Cannot read wallet.');
  });

  it('record.not-found | referenced record absent | text message', async () => {
    const client = await ledger();
    expectRefusal(await client.get('/wallets/ghost'), client, 'record.not-found', 'Wallet not found');
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    await client.drop('/wallets/w', wallet);
    for (const answer of [await client.drop('/wallets/w', wallet), await client.get(`/wallets/${wallet.luid}`)]) {
      expectRefusal(answer, client, 'record.not-found', 'Wallet not found');
    }
  });

  it('record.duplicated | a record with the same handle already exists (create, update) | text message', async () => {
    const client = await ledger();
    await stored(client, 'wallet', { handle: 'a' });
    const b = await stored(client, 'wallet', { handle: 'b' });
    const detail = 'Wallet with handle a already exists.';
    expectRefusal(await client.create('/wallets', { handle: 'a', custom: {} }), client, 'record.duplicated', detail);
    expectRefusal(await client.update('/wallets/b', b, { handle: 'a' }), client, 'record.duplicated', detail);
    expect((await client.get('/wallets')).body.data).toHaveLength(2);
  });

  it('record.schema-invalid | data fails schema validation; data.custom.errors is a list of { instancePath, schemaPath, keyword, params, message }', async () => {
    const client = await ledger();
    const schema = { type: 'object', required: ['custom'], properties: { handle: { maxLength: 1 } } };
    await stored(client, 'schema', { handle: 's', record: 'wallet', format: 'json-schema', schema });
    const answer = await client.create('/wallets', { handle: 'ww', schema: 's' });
    expectRefusal(
      answer,
      client,
      'record.schema-invalid',
      "Schema validator error: data must have required property 'custom', data.handle must NOT have more than 1 characters",
      {
        errors: [
          {
            instancePath: '',
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: 'custom' },
            message: "must have required property 'custom'",
          },
          {
            instancePath: '/handle',
            schemaPath: '#/properties/handle/maxLength',
            keyword: 'maxLength',
            params: { limit: 1 },
            message: 'must NOT have more than 1 characters',
          },
        ],
      },
    );
    const request = await client.create('/wallets', {});
    expectRefusal(
      request,
      client,
      'record.schema-invalid',
      "Schema validation error: request/body/data must have required property 'handle'",
      {
        errors: [
          {
            instancePath: '/data',
            schemaPath: '#/properties/data/required',
            keyword: 'required',
            params: { missingProperty: 'handle' },
            message: "must have required property 'handle'",
            path: '/body/data/handle',
            errorCode: 'required.openapi.validation',
          },
        ],
      },
    );
  });

  it('api.unexpected-error | unexpected server failure | text message', async () => {
    const database = await createDatabase();
    const broken = await startServer({ database });
    try {
      const client = await newLedger(broken.url);
      ok(await client.get('/wallets'));
      await database.drop();
      for (const answer of [
        await client.get('/wallets'),
        await client.get('/wallets/w'),
        await client.create('/wallets', { handle: 'w' }),
      ]) {
        expectRefusal(answer, client, 'api.unexpected-error', 'Unexpected server error');
        expect(answer.text).not.toMatch(/database|postgres|stack|\.ts/i);
      }
    } finally {
      await broken.stop();
    }
  });

  it('Rejected parent hash on update or drop: HTTP 422', async () => {
    const client = await ledger();
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const stale = { ...wallet, hash: hashOf({ handle: 'other' }, native) };
    for (const answer of [
      await client.update('/wallets/w', stale, { handle: 'w' }),
      await client.drop('/wallets/w', stale),
    ]) {
      expect(answer.status).toBe(422);
      const detail = "Hash verification failed, hashes don't match";
      expectRefusal(answer, client, 'crypto.parent-hash-invalid', detail);
    }
    expect((await client.get('/wallets/w')).body).toEqual(wallet);
  });
});

describe('Which error wins (contract 01 §12, Order of checks)', () => {
  it('each before all that follow it', async () => {
    const key = newKey();
    const rules = [{ action: 'any', record: 'any', signer: { public: key.public } }];
    const client = await ledger({ key, access: rules });
    const record = await stored(client, 'symbol', { handle: 'usd', factor: 1 });
    const stranger = client.as(newKey());
    const nowhere = client.in(undefined);
    const stale = { parent: 'f'.repeat(64), handle: 'usd', factor: 1, schema: 'ghost' };
    const good = signed(stale, key, {}, { luid: record.luid });
    const strange = signed(stale, stranger.key, {}, { luid: record.luid });
    const proof = good.meta.proofs[0]!;
    const forged = { ...good, meta: { proofs: [{ ...proof, digest: '0'.repeat(64) }] } };
    const unsigned = { ...good, meta: { proofs: [] } };
    const put = (body: unknown, headers = {}, path = '/symbols/usd') => client.call('PUT', path, body, headers);
    const badToken = { authorization: 'Bearer x' };
    const otherLedger = { 'x-ledger': 'nowhere' };

    expectRefusal(
      await nowhere.call('PUT', '/nothing', '{', badToken),
      nowhere,
      'api.route-not-found',
      'Route not found',
    );
    expectRefusal(
      await nowhere.call('PUT', '/symbols/usd', '{', { ...badToken, ...otherLedger }),
      nowhere,
      'api.route-not-found',
      'Server does not host requested ledger',
    );
    expectRefusal(await put('{', badToken), client, 'api.body-malformed', 'Malformed JSON body');
    expectRefusal(await put({}, badToken), client, 'auth.unauthorized', 'Invalid token.');
    expectRefusal(await put({ ...unsigned, hash: 'x' }), client, 'record.schema-invalid', /request\/body\/hash/);
    const wrong = '0'.repeat(64);
    expectRefusal(
      await put({ ...unsigned, hash: wrong }),
      client,
      'crypto.hash-invalid',
      `Invalid record hash: ${wrong}`,
    );
    expectRefusal(
      await put(unsigned, {}, '/symbols/ghost'),
      client,
      'crypto.signature-missing',
      'Ledger mutations must be signed.',
    );
    const invalid = `Invalid signature for key: ${key.public}`;
    expectRefusal(await put(forged, {}, '/symbols/ghost'), client, 'crypto.signature-invalid', invalid);
    expectRefusal(await put(strange, {}, '/symbols/ghost'), client, 'record.not-found', 'Symbol not found');
    expectRefusal(await put(strange), client, 'auth.forbidden', 'Cannot update symbol.');
    expectRefusal(
      await put(good),
      client,
      'crypto.parent-hash-invalid',
      "Hash verification failed, hashes don't match",
    );
    const unknown = await client.update('/symbols/usd', record, { handle: 'eur', factor: 1, schema: 'ghost' });
    const missing = 'Schema ghost not found for record of type symbol.';
    expectRefusal(unknown, client, 'record.relation-not-found', missing);
    const token = bearer(key);
    expect((await client.get('/symbols/usd', token)).status).toBe(403);
    expect((await client.get('/ledger/changes')).body.page.total).toBe(1);
  });
});
