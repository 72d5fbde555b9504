import { hash as hashOf, type JsonObject, verifyProof } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectRecord, expectRefusal } from '../support/checks.js';
import { newKey, signed, systemKeyOf } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const ledgerWith = (strategy: string | undefined, more?: Parameters<typeof forwardingLedger>[3]) =>
  forwardingLedger(server.current.url, bridge.url, [aspect('create', strategy)], more);

describe('a create that is forwarded', () => {
  it('is sent with a luid and a proof of the ledger', async () => {
    const client = await ledgerWith('validate');
    const sent = signed(anchor('a'), client.key);
    const answer = await client.call('POST', '/anchors', sent);
    const record = expectRecord(answer, 201, anchor('a'));
    const { method, url, body } = bridge.only;
    expect([method, url]).toEqual(['POST', '/v2/anchors']);
    expect(Object.keys(body).sort()).toEqual(['data', 'hash', 'luid', 'meta']);
    expect(body).toMatchObject({ hash: sent.hash, data: anchor('a') });
    expect(body.luid).toMatch(/^\$anc\./);
    expect(body.luid).not.toBe(record.luid);
    const [own, system, ...others] = body.meta.proofs;
    expect(others).toEqual([]);
    expect(own).toEqual(sent.meta.proofs[0]);
    expect(system).toMatchObject({ public: systemKeyOf(client), signer: 'system', origin: 'key-pair' });
    expect(system.custom).toEqual({ moment: expect.any(String), status: 'created' });
    expect(verifyProof(sent.hash, system, native)).toBe(true);
  });

  it('validate: is stored as any other when the bridge takes it', async () => {
    const client = await ledgerWith('validate');
    const record = expectRecord(await client.create('/anchors', anchor('a')), 201, anchor('a'));
    expect(record.meta.proofs.map((proof) => proof.public)).toEqual([client.key.public, systemKeyOf(client)]);
    expect(record.meta.proofs[1]?.custom).toMatchObject({ luid: record.luid, status: 'created' });
    expect((await client.get('/anchors/a')).body).toEqual(record);
  });

  it('validates where no strategy is named', async () => {
    const client = await ledgerWith(undefined);
    expectRecord(await client.create('/anchors', anchor('a')), 201, anchor('a'));
    expect(bridge.received).toHaveLength(1);
    expect(await stored(client, 'a')).toBe(true);
  });

  it('proxy: is answered with the record of the bridge, and not stored', async () => {
    const client = await ledgerWith('proxy');
    const answer = await client.create('/anchors', anchor('a'));
    expect(answer.status, answer.text).toBe(201);
    const record = answer.body;
    expect(Object.keys(record.meta)).toEqual(['proofs']);
    expect(record).toMatchObject({ hash: hashOf(anchor('a'), native), data: anchor('a'), luid: bridge.only.body.luid });
    const [own, system, banks] = record.meta.proofs;
    expect(own).not.toHaveProperty('origin');
    expect(own).not.toHaveProperty('signer');
    expect(system).toMatchObject({ signer: 'system', origin: 'key-pair', public: systemKeyOf(client) });
    expect(banks).toMatchObject({ public: bridge.key.public });
    expect(banks).not.toHaveProperty('signer');
    expect(await stored(client, 'a')).toBe(false);
    expect((await client.get('/anchors')).body.data).toEqual([]);
  });

  it('proxy: says whose proofs are those of signers of the ledger', async () => {
    const client = await ledgerWith('proxy');
    const access = [{ action: 'any' }];
    await made(client, '/signers', { handle: 'bank', public: bridge.key.public, format: 'ed25519-raw', access });
    const { meta } = (await client.create('/anchors', anchor('a'))).body;
    expect(meta.proofs[2]).toMatchObject({ public: bridge.key.public, signer: 'bank', origin: 'key-pair' });
  });

  it('synchronize: keeps what the bridge has added', async () => {
    const client = await ledgerWith('synchronize');
    const record = expectRecord(await client.create('/anchors', anchor('a')), 201, anchor('a'));
    const { body } = bridge.only;
    expect(body.luid).toBe(record.luid);
    expect(body.meta.status).toBe('created');
    expect(body.meta.proofs.map((proof: JsonObject) => [proof.public, proof.custom])).toEqual([
      [client.key.public, expect.anything()],
      [systemKeyOf(client), { luid: record.luid, moment: expect.any(String), status: 'created' }],
      [systemKeyOf(client), { moment: expect.any(String), status: 'created' }],
    ]);
    expect(record.meta.proofs.map((proof) => proof.public)).toEqual([
      client.key.public,
      systemKeyOf(client),
      systemKeyOf(client),
      bridge.key.public,
    ]);
    expect(record.meta).toMatchObject({ status: 'created', owners: [client.key.public] });
    expect((await client.get('/anchors/a')).body).toEqual(record);
    expect((await client.get('/anchors/a/changes')).body.page.total).toBe(1);
  });

  it.each(['validate', 'synchronize'])(
    '%s: is sent with the proof made for the signer of a token',
    async (strategy) => {
      const client = await ledgerWith(strategy);
      await made(client, '/signers', { handle: 'me', public: client.key.public, format: 'ed25519-raw' });
      const body = { data: anchor('a'), meta: { proofs: [{ custom: { status: 'created' } }] } };
      const answer = await client.call('POST', '/anchors', body, bearer(client.key));
      const record = expectRecord(answer, 201, anchor('a'));
      const [sent] = bridge.only.body.meta.proofs;
      expect(sent).toMatchObject({ origin: 'self-signed-token', signer: 'me' });
      expect(verifyProof(record.hash, sent, native)).toBe(true);
      const origins = record.meta.proofs.map(({ origin, signer }) => [origin, signer]);
      const system = ['key-pair', 'system'];
      const kept = [['self-signed-token', 'me'], system];
      expect(origins).toEqual(strategy === 'validate' ? kept : [...kept, system, [undefined, undefined]]);
    },
  );

  it.each(['proxy', 'validate', 'synchronize'])('%s: too much to keep is not forwarded', async (strategy) => {
    const client = await ledgerWith(strategy);
    const name = 'a'.repeat(900);
    const custom = { [name]: Array.from({ length: 5_000 }, (_, index) => index) };
    const { body } = await client.create('/anchors', anchor('a', { custom }));
    expect(body.data.reason).toBe('record.invalid');
    expect(bridge.received).toEqual([]);
  });

  it.each(['validate', 'synchronize'])('%s: sent again is answered without another call', async (strategy) => {
    const client = await ledgerWith(strategy);
    const body = signed(anchor('a'), client.key);
    const first = await client.call('POST', '/anchors', body);
    const again = await client.call('POST', '/anchors', body);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.text).toBe(first.text);
    expect(bridge.received).toHaveLength(1);
  });

  it.each(['proxy', 'validate', 'synchronize'])('%s: a duplicate is refused without a call', async (strategy) => {
    const client = await forwardingLedger(server.current.url, bridge.url, []);
    await made(client, '/anchors', anchor('a'));
    const policy = { handle: 'p', schema: 'processing', values: [aspect('create', strategy)] };
    await made(client, '/policies', policy);
    const answer = await client.create('/anchors', anchor('a', { target: 'other' }));
    expectRefusal(answer, client, 'record.duplicated', 'Anchor with handle a already exists.');
    expect(bridge.received).toEqual([]);
  });

  it.each(['validate', 'synchronize'])(
    '%s: a proof that made another record is refused without a call',
    async (strategy) => {
      const client = await ledgerWith(strategy);
      const body = signed(anchor('a'), client.key);
      const record = (await client.call('POST', '/anchors', body)).body;
      expect((await client.drop('/anchors/a', record)).status).toBe(204);
      bridge.reset();
      const again = await client.call('POST', '/anchors', body);
      const detail = 'A proof in the request was used for another record. Sign anew, with a custom.moment of its own.';
      expectRefusal(again, client, 'record.invalid', detail);
      expect(bridge.received).toEqual([]);
    },
  );

  it.each(['proxy', 'validate', 'synchronize'])('%s: what the ledger refuses is not forwarded', async (strategy) => {
    const client = await ledgerWith(strategy);
    const { body } = await client.create('/anchors', anchor('a', { wallet: 'nobody' }));
    expect(body.data.reason).toBe('record.relation-not-found');
    const schema = { handle: 'phone', record: 'anchor', format: 'json-schema', schema: { required: ['custom'] } };
    await made(client, '/schemas', schema);
    expect((await client.create('/anchors', anchor('a', { schema: 'phone' }))).body.data.reason).toBe(
      'record.schema-invalid',
    );
    const unsigned = { ...signed(anchor('a', { schema: 'phone', custom: {} }), client.key), meta: { proofs: [] } };
    expect((await client.call('POST', '/anchors', unsigned)).body.data.reason).toBe('crypto.signature-missing');
    expect(bridge.received).toEqual([]);
  });

  it.each(['proxy', 'validate', 'synchronize'])('%s: who may not create may not forward', async (strategy) => {
    const key = newKey();
    const access = [{ action: 'any', record: 'any', signer: { public: key.public } }];
    const founder = await ledgerWith(strategy, { key, access });
    const stranger = founder.as(newKey());
    expectRefusal(await stranger.create('/anchors', anchor('a')), stranger, 'auth.forbidden', 'Cannot create anchor.');
    expect(bridge.received).toEqual([]);
  });
});
