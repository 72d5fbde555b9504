import { hash, type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { newKey, newLedger, systemKeyOf } from '../support/client.js';
import { make, setScene } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { bearer } from '../support/token.js';
import { allSealed, inclusionOf, LogReader } from './reading.js';

describe('proofs of inclusion', () => {
  const server = withOwnServer();

  it.each(kinds.filter(({ lifecycle }) => lifecycle.operations.includes('changes')).map(({ name }) => name))(
    'are given of a %s, and hold',
    async (name) => {
      const scene = await setScene(server.current.url, name);
      const record = await make(scene);
      const { client } = scene;
      const path = name === 'ledger' ? '/ledger' : `${scene.collection}/${record.luid}`;
      const body = await inclusionOf(client, path, 1);
      const { data, meta } = body as unknown as { data: JsonObject; meta: RecordEnvelope['meta'] };
      expect(body.hash).toBe(hash(data));
      const [proof] = meta.proofs;
      expect(verifyProof(String(body.hash), proof!)).toBe(true);
      expect(proof!.public).toBe(systemKeyOf(client));
      const reader = await LogReader.of(client);
      expect(data.origin).toBe(reader.key.name);
      const text = JSON.stringify(record);
      const index = reader.check(String(data.proof), name, { luid: record.luid, change: 1, action: 'create', text });
      expect(index).toBe(data.index);
      expect(data.size).toBeGreaterThan(Number(data.index));
      const wrong = { luid: record.luid, change: 1, action: 'create', text: text.replace('"hash"', '"Hash"') };
      expect(() => reader.check(String(data.proof), name, wrong)).toThrow('the entry is not at');
    },
  );

  it('hold for each version of a transfer', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 100);
    const handle = await money.done([transfer('alice', 'bob', 40)]);
    const { client } = money;
    const { body: changes } = await client.get(`/intents/${handle}/changes`);
    expect(changes.data.length).toBeGreaterThan(1);
    const reader = await LogReader.of(client);
    const indexes: number[] = [];
    for (const { hash, luid, meta } of changes.data.toReversed()) {
      const { change, action } = meta;
      const { data } = await inclusionOf(client, `/intents/${handle}`, change);
      const { text, headers } = await client.get(`/intents/${handle}/changes/${change}`, { accept: 'text/plain' });
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(JSON.parse(text)).toMatchObject({ hash, luid, meta: { proofs: meta.proofs } });
      const version = { luid, change, action, text };
      indexes.push(reader.check(String((data as JsonObject).proof), 'intent', version));
    }
    expect(indexes).toEqual(indexes.toSorted((one, other) => one - other));
    expect(new Set(indexes).size).toBe(indexes.length);
  });

  it('are given as a file to who asks for text', async () => {
    const client = await newLedger(server.current.url);
    const { body: record } = await client.create('/wallets', { handle: 'w' });
    const { data } = await inclusionOf(client, '/wallets/w', 1);
    const answer = await client.get('/wallets/w/changes/1/inclusion', { accept: 'text/plain' });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.text.split('\n').slice(0, 3)).toEqual((data as JsonObject).proof!.toString().split('\n').slice(0, 3));
    const reader = await LogReader.of(client);
    const version = { luid: record.luid, change: 1, action: 'create', text: JSON.stringify(record) };
    expect(reader.check(answer.text, 'wallet', version)).toBe((data as JsonObject).index);
  });

  it('are 404 for what is not there, not sealed, or erased', async () => {
    const client = await newLedger(server.current.url);
    const { body: record } = await client.create('/wallets', { handle: 'w' });
    await allSealed(client);
    const refused = async (path: string, detail: string) => {
      const answer = await client.get(path);
      expect([answer.status, answer.body.data]).toEqual([404, { reason: 'record.not-found', detail }]);
      return answer.headers.get('retry-after');
    };
    expect(await refused('/wallets/w/changes/2/inclusion', 'Change not found')).toBeNull();
    expect(await refused('/wallets/x/changes/1/inclusion', 'Wallet not found')).toBeNull();
    const none = await client.get('/wallets/w/changes/0/inclusion');
    expect([none.status, none.body.data.reason]).toEqual([422, 'record.schema-invalid']);
    await sql(`update log_leaf set salts = null where luid = $1`, [record.luid]);
    expect(await refused('/wallets/w/changes/1/inclusion', 'Change erased')).toBeNull();
    await sql(`delete from log_leaf where luid = $1`, [record.luid]);
    expect(await refused('/wallets/w/changes/1/inclusion', 'Change is not sealed yet')).toBe('1');
  });

  it('are refused while another leaf is altered in the database, and given once it is mended', async () => {
    const client = await newLedger(server.current.url);
    await client.create('/wallets', { handle: 'w' });
    const { body: other } = await client.create('/wallets', { handle: 'x' });
    await allSealed(client);
    const turn = `update log_leaf set commitments = set_byte(commitments, 0, 255 - get_byte(commitments, 0)) where luid = $1`;
    await sql(turn, [other.luid]);
    expect((await client.get('/wallets/w/changes/1/inclusion')).body.data.detail).toBe('Change is not sealed yet');
    await sql(turn, [other.luid]);
    expect((await client.get('/wallets/w/changes/1/inclusion')).status).toBe(200);
  });

  it('are for those who may read the version', async () => {
    const owner = newKey();
    const access = [
      { action: 'any', record: 'any', bearer: { $signer: { public: owner.public } } },
      { action: 'any', record: 'any', signer: { public: owner.public } },
    ];
    const client = await newLedger(server.current.url, { key: owner, access });
    await client.create('/wallets', { handle: 'w' });
    const path = '/wallets/w/changes/1';
    const seen = async (headers?: Record<string, string>) => {
      const version = await client.get(path, headers);
      const proof = await client.get(`${path}/inclusion`, headers);
      return [version, proof].map(({ status, body }) => [status, status < 400 ? '' : body.data.reason]);
    };
    await allSealed(client, bearer(owner));
    expect(await seen(bearer(owner))).toEqual([
      [200, ''],
      [200, ''],
    ]);
    expect(await seen()).toEqual([
      [401, 'auth.unauthorized'],
      [401, 'auth.unauthorized'],
    ]);
    expect(await seen(bearer(newKey()))).toEqual([
      [403, 'auth.forbidden'],
      [403, 'auth.forbidden'],
    ]);
  });

  async function sql(text: string, values: unknown[]): Promise<void> {
    await runSql(server.current.database.url, text, values);
  }
});
