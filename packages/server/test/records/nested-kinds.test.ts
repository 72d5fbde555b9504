import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectList, expectRefusal } from '../support/checks.js';
import { dropOf, newKey, newLedger, type TestClient, type TestKey } from '../support/client.js';
import { createBody, make, ok, requestsOn, seen, setScene, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

describe('a path that goes through another record', () => {
  it.each([
    ['signer-factor', 'signer', 'Signer'],
    ['circle-signer', 'circle', 'Circle'],
  ] as const)('of a %s must be that of its %s', async (name, member, title) => {
    const scene = await setScene(server.current.url, name);
    const { client, path } = scene;
    const record = await make(scene);
    const data = name === 'signer-factor' ? { public: newKey().public, format: 'ed25519-raw' } : {};
    await stored(client, member, { handle: 'other', ...data });
    const elsewhere = path.replace(String(scene.data[member]), 'other');
    const before = await seen(scene);
    const requests = [
      ...requestsOn(scene, record, elsewhere.replace(/[^/]+$/, record.luid)),
      {
        operation: 'create',
        method: 'POST',
        path: elsewhere.replace(/\/[^/]+$/, ''),
        body: createBody(scene),
      } as const,
    ];
    for (const { method, path: sent, body } of requests) {
      const detail = `${title} in the request does not match the ${member} in the data`;
      expectRefusal(await client.call(method, sent, body), client, 'record.invalid', detail);
    }
    const nowhere = path.replace(String(scene.data[member]), 'ghost');
    for (const { method, path: sent, body } of requestsOn(scene, record, nowhere)) {
      expectRefusal(await client.call(method, sent, body), client, 'record.not-found', `${title} not found`);
    }
    expectRefusal(await client.get(nowhere.replace(/\/[^/]+$/, '')), client, 'record.not-found', `${title} not found`);
    expect(await seen(scene)).toEqual(before);
  });
});

async function withCircle(): Promise<{ client: TestClient; alice: TestKey; link: RecordEnvelope }> {
  const client = await newLedger(server.current.url);
  const alice = newKey();
  await stored(client, 'signer', { handle: 'alice', public: alice.public, format: 'ed25519-raw' });
  await stored(client, 'circle', { handle: 'staff' });
  const answer = await client.create('/circles/staff/signers', { circle: 'staff', signer: 'alice' });
  expect(answer.status).toBe(200);
  return { client, alice, link: answer.body };
}

describe('a circle signer (interface/circles#members)', () => {
  it('is read by the luid of the link, and by handle and luid of its signer, under handle and luid of its circle', async () => {
    const { client, link } = await withCircle();
    const [signer, circle] = await Promise.all([client.get('/signers/alice'), client.get('/circles/staff')]);
    for (const staff of ['staff', circle.body.luid]) {
      for (const id of [link.luid, 'alice', signer.body.luid]) {
        expect((await client.get(`/circles/${staff}/signers/${id}`)).body).toEqual(link);
      }
      const list = await client.get(`/circles/${staff}/signers`);
      expect(expectList(list, client, { index: 0, limit: 20 })).toEqual([link]);
    }
    expect(link.meta.status).toBe('created');
  });

  it('is listed under its own circle alone', async () => {
    const { client } = await withCircle();
    await stored(client, 'circle', { handle: 'guests' });
    await stored(client, 'signer', { handle: 'bob', public: newKey().public, format: 'ed25519-raw' });
    for (const signer of ['alice', 'bob']) await stored(client, 'circle-signer', { circle: 'guests', signer });
    const signers = async (circle: string) =>
      (await client.get(`/circles/${circle}/signers`)).body.data.map(({ data }: RecordEnvelope) => data.signer);
    expect(await signers('staff')).toEqual(['alice']);
    expect(await signers('guests')).toEqual(['bob', 'alice']);
  });

  it.each(['luid', 'handle', 'signer'] as const)(
    'is dropped by %s, in both forms, and can be made again',
    async (by) => {
      const { client, link } = await withCircle();
      const signer = (await client.get('/signers/alice')).body;
      const id = { luid: link.luid, handle: 'alice', signer: signer.luid }[by];
      const path = `/circles/staff/signers/${id}`;
      expect((await client.call('DELETE', path, dropOf(link, client.key))).status).toBe(204);
      expectRefusal(await client.get(path), client, 'record.not-found', 'Circle signer not found');
      const again = await stored(client, 'circle-signer', { circle: 'staff', signer: 'alice' });
      const posted = `/circles/staff/signers/${by === 'luid' ? again.luid : id}/drop`;
      expect((await client.call('POST', posted, dropOf(again, client.key))).status).toBe(204);
      expect((await client.get('/circles/staff/signers')).body.data).toEqual([]);
    },
  );

  it('gives its signer what the circle may, until it is dropped: then nothing, at once', async () => {
    const founder = newKey();
    const alice = newKey();
    const staff = { signer: { $circle: 'staff' } };
    const client = await newLedger(server.current.url, {
      key: founder,
      access: [
        { action: 'any', record: 'any', signer: { public: founder.public } },
        { action: 'read', record: 'any', bearer: { $signer: { public: founder.public } } },
        { action: 'access', ...staff },
        { action: 'create', record: 'wallet', ...staff },
        { action: 'read', record: 'wallet', bearer: { $signer: { $circle: 'staff' } } },
      ],
    });
    await stored(client, 'signer', { handle: 'alice', public: alice.public, format: 'ed25519-raw' });
    await stored(client, 'circle', { handle: 'staff' });
    const member = client.as(alice);
    const refused = 'Cannot create wallet.';
    expectRefusal(await member.create('/wallets', { handle: 'w-1' }), client, 'auth.forbidden', refused);
    const link = await stored(client, 'circle-signer', { circle: 'staff', signer: 'alice' });
    expect((await member.create('/wallets', { handle: 'w-1' })).status).toBe(201);
    expect((await member.get('/wallets', bearer(alice))).body.data).toHaveLength(1);
    expect((await client.drop('/circles/staff/signers/alice', link)).status).toBe(204);
    expectRefusal(await member.create('/wallets', { handle: 'w-2' }), client, 'auth.forbidden', refused);
    expectRefusal(await member.get('/wallets', bearer(alice)), client, 'auth.forbidden', 'Cannot query wallet.');
  });

  it('keeps its history: by every name while it is there, by its luid after it was dropped', async () => {
    const { client, link } = await withCircle();
    const [signer, circle] = await Promise.all([client.get('/signers/alice'), client.get('/circles/staff')]);
    for (const staff of ['staff', circle.body.luid]) {
      for (const id of [link.luid, 'alice', signer.body.luid]) {
        const path = `/circles/${staff}/signers/${id}/changes`;
        const [change] = expectList(await client.get(path), client, { index: 0, limit: 20, total: 1 });
        expect(change).toMatchObject({ hash: link.hash, data: link.data, meta: { action: 'create', change: 1 } });
        expect((await client.get(`${path}/1`)).body).toEqual(change);
      }
    }
    const unknown = await client.get('/circles/staff/signers/alice/changes/2');
    expectRefusal(unknown, client, 'record.not-found', 'Change not found');
    expect((await client.drop('/circles/staff/signers/alice', link)).status).toBe(204);
    for (const id of ['alice', signer.body.luid]) {
      const gone = await client.get(`/circles/staff/signers/${id}/changes`);
      expectRefusal(gone, client, 'record.not-found', 'Circle signer not found');
    }
    const path = `/circles/staff/signers/${link.luid}/changes`;
    const history = expectList(await client.get(path), client, { index: 0, limit: 20, total: 2 });
    expect(history.map(({ meta }) => (meta as JsonObject).action)).toEqual(['drop', 'create']);
    expect((await client.get(`${path}/2`)).body).toEqual(history[0]);
  });

  it('shows its history to who may read the circle, as it does itself', async () => {
    const [founder, reader] = [newKey(), newKey()];
    const client = await newLedger(server.current.url, {
      key: founder,
      access: [
        { action: 'any', record: 'any', signer: { public: founder.public } },
        { action: 'access', signer: { public: reader.public } },
      ],
    });
    const bearerOf = { bearer: { $signer: { public: reader.public } } };
    await stored(client, 'signer', { handle: 'alice', public: newKey().public, format: 'ed25519-raw' });
    await stored(client, 'circle', { handle: 'open', access: [{ action: 'read', ...bearerOf }] });
    await stored(client, 'circle', { handle: 'closed' });
    for (const circle of ['open', 'closed']) await stored(client, 'circle-signer', { circle, signer: 'alice' });
    for (const end of ['', '/changes', '/changes/1']) {
      expect((await client.get(`/circles/open/signers/alice${end}`, bearer(reader))).status).toBe(200);
      const refused = await client.get(`/circles/closed/signers/alice${end}`, bearer(reader));
      expectRefusal(refused, client, 'auth.forbidden', 'Cannot read circle.');
      const anonymous = await client.get(`/circles/open/signers/alice${end}`);
      expectRefusal(
        anonymous,
        client,
        'auth.unauthorized',
        'Missing token: send one in the header authorization; a write may be signed instead.',
      );
    }
  });

  it('refuses a second link of the same two', async () => {
    const { client } = await withCircle();
    const answer = await client.create('/circles/staff/signers', {
      circle: 'staff',
      signer: 'alice',
      custom: { a: 1 },
    });
    expectRefusal(answer, client, 'record.duplicated', 'Circle Signer with handle alice already exists.');
    ok(await client.get('/circles/staff/signers/alice'));
  });
});

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

describe('a signer factor (interface/signers#factors)', () => {
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

  it("is reached through no other's path, and its history is not, dropped or not", async () => {
    const { client } = await withSigners();
    const made = await stored(client, 'signer-factor', pair('f'));
    const detail = 'Signer in the request does not match the signer in the data';
    const expectElsewhere = async (...ends: string[]) => {
      for (const end of ends) {
        const path = `/factors/${made.luid}${end}`;
        expect((await client.get(`/signers/alice${path}`)).status).toBe(200);
        expectRefusal(await client.get(`/signers/bob${path}`), client, 'record.invalid', detail);
      }
    };
    await expectElsewhere('', '/changes', '/changes/1');
    expect((await client.drop('/signers/alice/factors/f', made)).status).toBe(204);
    await expectElsewhere('/changes', '/changes/1');
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

  it.each(['otp', 'totp', 'fido2'])('of schema %s may have a key in any form, and need not', async (schema) => {
    const { client } = await withSigners();
    const content = { required: ['public'], properties: { format: { type: 'string', enum: ['cose', 'pem'] } } };
    const own = { handle: 'fido2', record: 'signer-factor', format: 'json-schema', schema: content };
    await stored(client, 'schema', own);
    const members = [
      { public: 'BPcM…=', format: 'cose' },
      { public: '-----BEGIN PUBLIC KEY-----', format: 'pem' },
      { public: 'only' },
    ];
    for (const [index, more] of members.entries()) {
      const data = { handle: `f-${index}`, signer: 'alice', schema, ...more };
      const record = await stored(client, 'signer-factor', data);
      expect(record.data).toEqual(data);
      expect(Object.keys(record.data)).toEqual(
        ['handle', 'schema', 'signer', 'format', 'public'].filter((one) => one in data),
      );
    }
    const query = `/signers/alice/factors?data.public=${encodeURIComponent('BPcM…=')}`;
    expect((await client.get(query)).body.data.map(({ data }: RecordEnvelope) => data.handle)).toEqual(['f-0']);
    const none = await client.create('/signers/alice/factors', { handle: 'none', signer: 'alice', schema });
    expect(none.status).toBe(schema === 'fido2' ? 422 : 201);
  });

  it('of credentials has no key', async () => {
    const { client } = await withSigners();
    for (const more of [{ public: 'x' }, { format: 'x' }, { public: 'x', format: 'x' }]) {
      const data = { handle: 'f', signer: 'alice', schema: 'oauth-client-credentials', ...more };
      const answer = await client.create('/signers/alice/factors', data);
      expectRefusal(answer, client, 'record.schema-invalid', /data must NOT have unevaluated properties/);
    }
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
