import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectList, expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestClient } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

async function withSigners(): Promise<{ client: TestClient; alice: RecordEnvelope }> {
  const client = await newLedger(server.current.url);
  const signer = (handle: string) =>
    stored(client, 'signer', { handle, public: newKey().public, format: 'ed25519-raw' });
  const alice = await signer('alice');
  await signer('bob');
  return { client, alice };
}

const pair = (handle: string, signer = 'alice', more: JsonObject = {}): JsonObject => ({
  handle,
  signer,
  schema: 'key-pair',
  format: 'ed25519-raw',
  public: newKey().public,
  ...more,
});

describe('a signer factor (contract 03 §2)', () => {
  it('is reached through handle and luid of its signer', async () => {
    const { client, alice } = await withSigners();
    const made = await client.create(`/signers/${alice.luid}/factors`, pair('f'));
    expect(made.status, made.text).toBe(201);
    for (const signer of ['alice', alice.luid]) {
      for (const id of ['f', made.body.luid]) {
        expect((await client.get(`/signers/${signer}/factors/${id}`)).text).toBe(made.text);
      }
    }
  });

  it('is listed under its signer alone, without a total', async () => {
    const { client, alice } = await withSigners();
    const own = [await stored(client, 'signer-factor', pair('f'))];
    own.unshift(await stored(client, 'signer-factor', { handle: 'g', signer: 'alice', schema: 'totp' }));
    await stored(client, 'signer-factor', pair('h', 'bob'));
    for (const signer of ['alice', alice.luid]) {
      const list = await client.get(`/signers/${signer}/factors`);
      expect(expectList(list, client, { index: 0, limit: 20 })).toEqual(own);
    }
    const found = async (query: string) =>
      (await client.get(`/signers/alice/factors?${query}`)).body.data.map(({ data }: RecordEnvelope) => data.handle);
    expect(await found('data.schema=totp')).toEqual(['g']);
    expect(await found(`data.public=${encodeURIComponent(String(own[1]?.data.public))}`)).toEqual(['f']);
    expect(await found('data.handle.$regex=f')).toEqual(['f']);
  });

  it('has a handle that is one in its ledger, whoever’s it is', async () => {
    const { client } = await withSigners();
    await stored(client, 'signer-factor', pair('f'));
    const answer = await client.create('/signers/bob/factors', pair('f', 'bob'));
    expectRefusal(answer, client, 'record.duplicated', 'Signer Factor with handle f already exists.');
  });

  it.each(['key-pair', 'otp', 'totp'])('may be of schema %s from birth', async (schema) => {
    const { client } = await withSigners();
    const data = schema === 'key-pair' ? pair('f') : { handle: 'f', signer: 'alice', schema };
    expect((await stored(client, 'signer-factor', data)).data.schema).toBe(schema);
  });

  it('names its schema, and one that is there', async () => {
    const { client } = await withSigners();
    const post = (data: JsonObject) => client.create('/signers/alice/factors', data);
    expectRefusal(
      await post({ handle: 'f', signer: 'alice' }),
      client,
      'record.schema-invalid',
      'There are schemas defined for record of type signer-factor, you must specify at least one.',
    );
    expectRefusal(
      await post({ handle: 'f', signer: 'alice', schema: 'ghost' }),
      client,
      'record.relation-not-found',
      'Schema ghost not found for record of type signer-factor.',
    );
    const { public: _, ...noPublic } = pair('f');
    expectRefusal(
      await post(noPublic),
      client,
      'record.schema-invalid',
      "Schema validation error: request/body/data must NOT have unevaluated properties, request/body/data/schema must be equal to one of the allowed values: oauth-client-credentials, request/body/data must have required property 'public', request/body/data must match a schema in anyOf",
    );
  });

  it('of credentials takes none that the client made', async () => {
    const { client } = await withSigners();
    const detail =
      'Providing clientId or clientSecret is not allowed. Leave the fields blank and ledger will generate the credentials instead.Enable the signer.factor.oauth.allowClientCredentials flag to use be able to provide credentials.';
    for (const more of [{ clientId: 'me' }, { clientSecret: '{{ secret.clientSecret }}' }]) {
      const data = { handle: 'f', signer: 'alice', schema: 'oauth-client-credentials', ...more };
      expectRefusal(await client.create('/signers/alice/factors', data), client, 'record.invalid', detail);
    }
  });
});
