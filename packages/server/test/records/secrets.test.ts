import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { openSealed, sealContext } from '../../src/keys/seal.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, signed, type TestAnswer, type TestClient, updateOf } from '../support/client.js';
import { ok, stored, withSecret } from '../support/scene.js';
import { TEST_MASTER_KEY, withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

const server = withOwnServer();

const asked = <Row>(text: string, values: readonly unknown[]) => runSql<Row>(server.current.database.url, text, values);

/** The values the database holds for a record, opened; each was sealed for this record under its name. */
async function kept(client: TestClient, { luid }: RecordEnvelope): Promise<Record<string, string>> {
  const { luid: ledger } = (await client.get('/ledger')).body;
  const rows = await asked<{ name: string; sealed: Buffer }>(
    'select name, sealed from secret where luid = $1 order by name',
    [luid],
  );
  return Object.fromEntries(
    rows.map(({ name, sealed }) => [
      name,
      openSealed(TEST_MASTER_KEY, sealed, sealContext(ledger, luid, name)).toString(),
    ]),
  );
}

/** Every byte any table holds, as far as it could hold a value in the clear. */
async function everywhere(value: string): Promise<number> {
  const [row] = await asked<{ found: number }>(
    `select (select count(*)::int from change where body like $1) + (select count(*)::int from record where document::text like $1)
       + (select count(*)::int from secret where position(convert_to($2, 'UTF8') in sealed) > 0) as found`,
    [`%${value}%`, value],
  );
  return row!.found;
}

const VALUE = 'correct-horse-battery-staple';

const secure = (...names: string[]): JsonObject[] =>
  names.map((name) => ({ schema: 'header', key: 'x-api-key', value: `{{ secret.${name} }}` }));

const bridge = (...names: string[]): JsonObject => ({
  handle: 'b',
  schema: 'rest',
  config: { server: 'https://bridge.example/v2' },
  secure: secure(...names),
});

function create(client: TestClient, data: JsonObject, secret?: JsonObject): Promise<TestAnswer> {
  return client.call('POST', '/bridges', withSecret(signed(data, client.key), secret));
}

function update(
  client: TestClient,
  record: RecordEnvelope,
  data: JsonObject,
  secret?: JsonObject,
): Promise<TestAnswer> {
  return client.call('PUT', '/bridges/b', withSecret(updateOf(record, data, client.key), secret));
}

function expectMissing(answer: TestAnswer, client: TestClient, name: string): void {
  const detail = `Record data has a secret reference to new secret '${name}' but no secret value was provided in 'meta.secret.${name}'`;
  expectRefusal(answer, client, 'record.invalid', detail);
}

describe('the secrets of a bridge (interface/signers#secrets, interface/bridges#security-rules)', () => {
  it('travel beside the data, are sealed, and never served', async () => {
    const client = await newLedger(server.current.url);
    const answer = ok(await create(client, bridge('key'), { key: VALUE, stray: 'never-used' }));
    expect(await kept(client, answer.body)).toEqual({ key: VALUE });
    expect(await everywhere(VALUE)).toBe(0);
    expect(answer.body.data.secure).toEqual(secure('key'));
    const paths = ['/bridges', '/bridges/b', '/bridges/b/changes', '/bridges/b?include=meta.secret'];
    for (const read of await Promise.all(paths.map((path) => client.get(path)))) {
      expect(read.status).toBe(200);
      expect(read.text).not.toContain(VALUE);
      expect(read.text).not.toContain('"secret":');
    }
  });

  it('are needed for every reference, and nothing is stored without', async () => {
    const client = await newLedger(server.current.url);
    expectMissing(await create(client, bridge('key')), client, 'key');
    expectMissing(await create(client, bridge('key', 'other'), { key: VALUE }), client, 'other');
    expectMissing(await create(client, bridge('toString'), {}), client, 'toString');
    expect((await client.get('/bridges')).body.data).toEqual([]);
    const twice = ok(await create(client, bridge('key', 'key'), { key: VALUE }));
    expect(await kept(client, twice.body)).toEqual({ key: VALUE });
  });

  it('are kept by an update that sends none, and replaced by one that does', async () => {
    const client = await newLedger(server.current.url);
    const first = ok(await create(client, bridge('key'), { key: VALUE })).body;
    const second = ok(await update(client, first, { ...bridge('key'), custom: { a: 1 } })).body;
    expect(await kept(client, second)).toEqual({ key: VALUE });
    const third = ok(await update(client, second, bridge('key'), { key: 'another value' })).body;
    expect(await kept(client, third)).toEqual({ key: 'another value' });
    expectMissing(await update(client, third, bridge('key', 'fresh')), client, 'fresh');
    const fourth = ok(await update(client, third, bridge('key', 'fresh'), { fresh: 'value of fresh' })).body;
    expect(await kept(client, fourth)).toEqual({ fresh: 'value of fresh', key: 'another value' });
  });

  it('of an update that is refused are not taken', async () => {
    const client = await newLedger(server.current.url);
    const first = ok(await create(client, bridge('key'), { key: VALUE })).body;
    const stale = await update(client, { ...first, hash: '0'.repeat(64) }, bridge('key'), { key: 'forged' });
    expectRefusal(stale, client, 'crypto.parent-hash-invalid', "Hash verification failed, hashes don't match");
    expect(await kept(client, first)).toEqual({ key: VALUE });
  });

  it('are forgotten with the record', async () => {
    const client = await newLedger(server.current.url);
    const record = ok(await create(client, bridge('key'), { key: VALUE })).body;
    expect((await client.drop('/bridges/b', record)).status).toBe(204);
    expect(await kept(client, record)).toEqual({});
    expectMissing(await create(client, bridge('key')), client, 'key');
  });

  it('are for a reference, not for a value in the clear', async () => {
    const client = await newLedger(server.current.url);
    for (const value of [VALUE, '{{secret.key}}', '{{ secret.1 }}', '{{ secret.a-b }}', '{{ secret. }}']) {
      const plain = { ...bridge(), secure: [{ schema: 'header', key: 'x', value }] };
      expectRefusal(
        await create(client, plain, { key: VALUE }),
        client,
        'record.schema-invalid',
        /request\/body\/data\/secure\/0\/value must match pattern/,
      );
    }
    const generic = { ...bridge(), secure: [{ schema: 'mtls', public: 'p', secret: VALUE }] };
    const refused = await create(client, generic);
    expectRefusal(
      refused,
      client,
      'record.schema-invalid',
      /request\/body\/data\/secure\/0\/secret must match pattern/,
    );
    expect(refused.body.data.custom.hint).toContain('write {{ secret.name }} in its place');
    expect(refused.text).not.toContain(VALUE);
    for (const secret of [{ key: 1 }, { key: null }, 'key', []]) {
      const body = { ...signed(bridge('key'), client.key) };
      const answer = await client.call('POST', '/bridges', { ...body, meta: { ...body.meta, secret } });
      expectRefusal(answer, client, 'record.schema-invalid', /request\/body\/meta\/secret/);
    }
    expect((await client.get('/bridges')).body.data).toEqual([]);
  });

  it('of one record are no other record’s, nor another ledger’s', async () => {
    const [here, there] = await Promise.all([newLedger(server.current.url), newLedger(server.current.url)]);
    const record = ok(await create(here, bridge('key'), { key: VALUE })).body;
    expectMissing(await create(here, { ...bridge('key'), handle: 'c' }), here, 'key');
    expectMissing(await create(there, bridge('key')), there, 'key');
    const [row] = await asked<{ sealed: Buffer }>('select sealed from secret where luid = $1', [record.luid]);
    const { luid: other } = (await there.get('/ledger')).body;
    expect(() => openSealed(TEST_MASTER_KEY, row!.sealed, sealContext(other, record.luid, 'key'))).toThrow();
  });
});

describe('the secret of a signer factor (interface/signers#secrets)', () => {
  const pair = (more: JsonObject = {}): JsonObject => ({
    handle: 'f',
    signer: 'alice',
    schema: 'key-pair',
    format: 'ed25519-raw',
    public: newKey().public,
    ...more,
  });

  async function withSigner(): Promise<TestClient> {
    const client = await newLedger(server.current.url);
    await stored(client, 'signer', { handle: 'alice', public: client.key.public, format: 'ed25519-raw' });
    return client;
  }

  it('is sealed like any other', async () => {
    const client = await withSigner();
    const body = withSecret(signed(pair({ secret: '{{ secret.private }}' }), client.key), { private: VALUE });
    const answer = ok(await client.call('POST', '/signers/alice/factors', body));
    expect(answer.body.data.secret).toBe('{{ secret.private }}');
    expect(await kept(client, answer.body)).toEqual({ private: VALUE });
    expect(await everywhere(VALUE)).toBe(0);
    const dropped = await client.drop('/signers/alice/factors/f', answer.body);
    expect(dropped.status).toBe(204);
    expect(await kept(client, answer.body)).toEqual({});
  });

  it('is not served where there is none, neither in the record nor in its history', async () => {
    const client = await withSigner();
    const record = await stored(client, 'signer-factor', pair());
    expect(record.data).not.toHaveProperty('secret');
    expect((await client.get('/signers/alice/factors')).body.data).toEqual([record]);
    expect((await client.get('/signers/alice/factors/f/changes/1')).body.data).not.toHaveProperty('secret');
    const updated = ok(await client.update('/signers/alice/factors/f', record, pair({ custom: {} })));
    expect(updated.body.data).not.toHaveProperty('secret');
  });
});
