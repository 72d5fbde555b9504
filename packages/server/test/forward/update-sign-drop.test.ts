import { hash as hashOf, type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectRecord, expectRefusal } from '../support/checks.js';
import { dropOf, newKey, proofOver, systemKeyOf, type TestClient, updateOf } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made, processing, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

/** A ledger with the anchor `a`, at the bridge too, and a policy for the action. */
async function kept(action: string, strategy?: string): Promise<{ client: TestClient; record: RecordEnvelope }> {
  const client = await forwardingLedger(server.current.url, bridge.url, []);
  const record = await made(client, '/anchors', anchor('a'));
  bridge.records.set('a', bridge.sealed(record as unknown as JsonObject));
  await made(client, '/policies', processing('forwarding', [aspect(action, strategy)]));
  return { client, record };
}

/** The same, but that only the bridge has the anchor, made by the client. */
async function proxied(action: string): Promise<{ client: TestClient; record: RecordEnvelope }> {
  const client = await forwardingLedger(server.current.url, bridge.url, [aspect(action, 'proxy')]);
  return { client, record: bridge.keep(anchor('a'), client.key) };
}

const later = anchor('a', { target: 'account:2' });

describe('an update that is forwarded', () => {
  it('is sent to the path of the record, with a proof of the ledger', async () => {
    const { client, record } = await kept('update', 'validate');
    const body = updateOf(record, later, client.key);
    expectRecord(await client.call('PUT', '/anchors/a', body), 200, body.data);
    const { method, url, body: sent } = bridge.only;
    expect([method, url]).toEqual(['PUT', '/v2/anchors/a']);
    expect(sent).toMatchObject({ hash: body.hash, luid: record.luid, data: body.data });
    expect(sent.meta.proofs).toHaveLength(2);
    expect(sent.meta.proofs[0]).toEqual(body.meta.proofs[0]);
    expect(sent.meta.proofs[1]).toMatchObject({ signer: 'system', public: systemKeyOf(client) });
    expect(Object.keys(sent.meta.proofs[1].custom)).toEqual(['moment']);
    expect(verifyProof(sent.hash, sent.meta.proofs[1], native)).toBe(true);
  });

  it('validate: is stored as any other; by luid the bridge is called by handle', async () => {
    const { client, record } = await kept('update', 'validate');
    const answer = await client.call('PUT', `/anchors/${record.luid}`, updateOf(record, later, client.key));
    expect(answer.status, answer.text).toBe(200);
    expect(bridge.only.url).toBe('/v2/anchors/a');
    expect(answer.body.meta.proofs.map((proof: JsonObject) => proof.public)).toEqual([
      client.key.public,
      systemKeyOf(client),
    ]);
    expect((await client.get('/anchors/a')).text).toBe(answer.text);
  });

  it('proxy: is about the record of that name, and gives what the bridge has under another to nobody', async () => {
    const { client, record } = await proxied('update');
    const body = updateOf(record, anchor('b', { target: 'account:2' }), client.key);
    const answer = await client.call('PUT', '/anchors/a', body);
    expectRefusal(answer, client, 'record.update-rejected', "Cannot change handle of anchor 'a'");
    expect(bridge.received).toEqual([]);
  });

  it('synchronize: keeps the proof of the bridge', async () => {
    const { client, record } = await kept('update', 'synchronize');
    const answer = await client.update('/anchors/a', record, later);
    expect(answer.status, answer.text).toBe(200);
    const { proofs } = answer.body.meta;
    const [system] = [systemKeyOf(client)];
    expect(proofs.map((proof: JsonObject) => proof.public)).toEqual([
      client.key.public,
      system,
      system,
      bridge.key.public,
    ]);
    expect(proofs[1].custom).toMatchObject({ luid: record.luid });
    expect(bridge.only.body.meta.proofs).toHaveLength(3);
    expect((await client.get('/anchors/a')).text).toBe(answer.text);
    expect((await client.get('/anchors/a/changes')).body.page.total).toBe(2);
  });

  it('proxy: is answered with the record of the bridge, which alone keeps it', async () => {
    const { client, record } = await proxied('update');
    const answer = await client.update('/anchors/a', record, later);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ luid: record.luid, data: later });
    expect(Object.keys(answer.body.meta)).toEqual(['proofs']);
    expect(await stored(client, 'a')).toBe(false);
  });

  it('proxy: goes to the bridge although the ledger has the record, which stays', async () => {
    const { client, record } = await kept('update', 'proxy');
    const answer = await client.update('/anchors/a', record, later);
    expect(answer.body.data).toMatchObject(later);
    expect((await client.get('/anchors/a')).body).toEqual(record);
  });

  it('is refused before the bridge is asked, as any other', async () => {
    const { client, record } = await kept('update', 'validate');
    const stale = updateOf({ ...record, hash: 'a'.repeat(64) }, later, client.key);
    const answer = await client.call('PUT', '/anchors/a', stale);
    expectRefusal(answer, client, 'crypto.parent-hash-invalid', "Hash verification failed, hashes don't match");
    const missing = await client.call('PUT', '/anchors/b', updateOf(record, anchor('b'), client.key));
    expectRefusal(missing, client, 'record.not-found', 'Anchor not found');
    const walletless = await client.update('/anchors/a', record, { ...later, wallet: 'nobody' });
    expect(walletless.body.data.reason).toBe('record.relation-not-found');
    expect(bridge.received).toEqual([]);
  });

  it('proxy: is refused before the bridge is asked, as far as it is known', async () => {
    const { client, record } = await proxied('update');
    const walletless = await client.update('/anchors/a', record, { ...later, wallet: 'nobody' });
    expect(walletless.body.data.reason).toBe('record.relation-not-found');
    expect(bridge.received).toEqual([]);
  });
});

describe.each(['proxy', 'validate', 'synchronize'])('%s: who may not', (strategy) => {
  it.each(['update', 'drop', 'sign'])('%s may not forward that, signed or with a token', async (action) => {
    const key = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'any', record: 'any', bearer: { $signer: { public: key.public } } },
      { action: 'access' },
      { action: 'read', record: 'any' },
    ];
    const client = await forwardingLedger(server.current.url, bridge.url, [], { key, access });
    const own = strategy === 'proxy' ? undefined : await made(client, '/anchors', anchor('a'));
    const record = own ?? bridge.keep(anchor('a'), key);
    await made(client, '/policies', processing('forwarding', [aspect(action, strategy)]));
    const stranger = client.as(newKey());
    await made(client, '/signers', { handle: 'other', public: stranger.key.public, format: 'ed25519-raw' });
    const ask = (headers: Record<string, string>) => {
      if (action === 'update')
        return stranger.call('PUT', '/anchors/a', updateOf(record, later, stranger.key), headers);
      if (action === 'drop') return stranger.call('DELETE', '/anchors/a', dropOf(record, stranger.key), headers);
      return stranger.call('POST', '/anchors/a/proofs', proofOver(record.hash, stranger.key), headers);
    };
    const refusal = `Cannot ${action === 'sign' ? 'create anchor-proof' : `${action} anchor`}.`;
    for (const headers of [{}, bearer(stranger.key)] as { authorization?: string }[]) {
      const answer = await ask(headers as Record<string, string>);
      // Whose proof it is that only a bridge can verify is not known: without a token it is nobody's.
      const unknown = action === 'sign' && strategy === 'proxy' && headers.authorization === undefined;
      if (unknown)
        expectRefusal(
          answer,
          client,
          'auth.unauthorized',
          'Missing token: send one in the header authorization; a write may be signed instead.',
        );
      else expectRefusal(answer, client, 'auth.forbidden', refusal);
    }
    expect(bridge.received).toEqual([]);
  });
});

describe('a proof that is forwarded', () => {
  it('is sent flat, without a proof of the ledger', async () => {
    const { client, record } = await kept('sign', 'validate');
    const proof = proofOver(record.hash, client.key, { status: 'active' });
    const answer = await client.call('POST', '/anchors/a/proofs', proof);
    expect(answer.status, answer.text).toBe(200);
    const { method, url, body } = bridge.only;
    expect([method, url]).toEqual(['POST', '/v2/anchors/a/proofs']);
    expect(body).toEqual({ ...proof, origin: 'key-pair' });
    expect(answer.body.meta.status).toBe('active');
    expect(answer.body.meta.proofs).toHaveLength(3);
    expect((await client.get('/anchors/a')).text).toBe(answer.text);
  });

  it('synchronize: is stored, with what the bridge has of its own', async () => {
    const { client, record } = await kept('sign', 'synchronize');
    const answer = await client.prove('/anchors/a', record, { status: 'active' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.meta.status).toBe('active');
    const publics = answer.body.meta.proofs.map((proof: JsonObject) => proof.public);
    expect(publics).toEqual([client.key.public, systemKeyOf(client), client.key.public, bridge.key.public]);
    expect((await client.get('/anchors/a')).text).toBe(answer.text);
  });

  it('proxy: is answered with the record of the bridge', async () => {
    const { client, record } = await proxied('sign');
    const answer = await client.prove('/anchors/a', record, { note: 'seen' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.meta.proofs.at(-1).custom).toMatchObject({ note: 'seen' });
    expect(bridge.only.body.origin).toBe('key-pair');
    expect(await stored(client, 'a')).toBe(false);
  });

  it('proxy: does not speak for its signer, whom only the bridge can verify', async () => {
    const key = newKey();
    const access = [{ action: 'any', record: 'any', signer: { public: key.public } }];
    const values = [aspect('sign', 'proxy')];
    const client = await forwardingLedger(server.current.url, bridge.url, values, { key, access });
    const record = bridge.keep(anchor('a'), key);
    expect((await client.prove('/anchors/a', record, {})).status).toBe(401);
    expect(bridge.received).toEqual([]);
    const signer = { handle: 'me', public: key.public, format: 'ed25519-raw' };
    await made(client, '/signers', signer);
    const proof = proofOver(record.hash, key, {});
    expect((await client.call('POST', '/anchors/a/proofs', proof, bearer(key))).status).toBe(200);
    const stranger = await client.call('POST', '/anchors/a/proofs', proof, bearer(newKey()));
    expectRefusal(stranger, client, 'auth.forbidden', 'Cannot create anchor-proof.');
  });

  it("proxy: is none of the ledger's own, which a client cannot have made", async () => {
    const { client, record } = await proxied('sign');
    const wallet = (await client.get('/wallets/alice')).body as RecordEnvelope;
    await made(client, '/signers', { handle: 'me', public: client.key.public, format: 'ed25519-raw' });
    const { method, digest, result, custom } = wallet.meta.proofs.at(-1)!;
    const own = { method, public: systemKeyOf(client), digest, result, custom };
    const elsewhere = { ...proofOver(record.hash, client.key), public: systemKeyOf(client) };
    for (const proof of [own, elsewhere]) {
      for (const headers of [{}, bearer(client.key)]) {
        const answer = await client.call('POST', '/anchors/a/proofs', proof, headers);
        expectRefusal(answer, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
      }
    }
    expect(bridge.received).toEqual([]);
  });

  it('proxy: needs a signature, as nothing is known that the ledger could sign', async () => {
    const { client } = await proxied('sign');
    await made(client, '/signers', { handle: 'me', public: client.key.public, format: 'ed25519-raw' });
    const answer = await client.call('POST', '/anchors/a/proofs', { custom: {} }, bearer(client.key));
    expectRefusal(answer, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
    expect(bridge.received).toEqual([]);
  });

  it('is not sent when it is wrong, or there already', async () => {
    const { client, record } = await kept('sign', 'validate');
    const other = proofOver(hashOf({}, native), client.key, {});
    expect((await client.call('POST', '/anchors/a/proofs', other)).body.data.reason).toBe('crypto.signature-invalid');
    const [first] = record.meta.proofs;
    const { custom, digest, method, public: key, result } = first!;
    const repeated = await client.call('POST', '/anchors/a/proofs', { custom, digest, method, public: key, result });
    expect(repeated.body).toEqual(record);
    expect(bridge.received).toEqual([]);
  });

  it('is signed by the ledger for the signer of a token', async () => {
    const { client, record } = await kept('sign', 'synchronize');
    await made(client, '/signers', { handle: 'me', public: client.key.public, format: 'ed25519-raw' });
    const answer = await client.call('POST', '/anchors/a/proofs', { custom: { status: 'active' } }, bearer(client.key));
    expect(answer.status, answer.text).toBe(200);
    expect(bridge.only.body).toMatchObject({ origin: 'self-signed-token', signer: 'me' });
    expect(verifyProof(record.hash, bridge.only.body, native)).toBe(true);
    expect(answer.body.meta.status).toBe('active');
  });
});

describe('a bridge that has not done as it was asked', () => {
  const answersWith = (record: RecordEnvelope) => {
    bridge.instead = () => ({ status: 200, body: record as unknown as JsonObject });
  };
  const changed = (record: RecordEnvelope) => {
    const data = { ...record.data, target: 'mine' };
    return bridge.sealed({
      ...record,
      data,
      hash: hashOf(data, native),
      meta: { proofs: [] },
    } as unknown as JsonObject);
  };
  const INVALID = 'Invalid response from bridge bank';

  it.each(['validate', 'synchronize'])('%s: leaves an anchor as it was', async (strategy) => {
    for (const action of ['update', 'sign']) {
      const { client, record } = await kept(action, strategy);
      const act = () =>
        action === 'update' ? client.update('/anchors/a', record, later) : client.prove('/anchors/a', record, {});
      answersWith(changed(record));
      expectRefusal(await act(), client, 'crypto.signature-invalid', /^Invalid dto signature: \{/);
      if (action === 'sign') {
        answersWith(record);
        expectRefusal(await act(), client, 'forward.invalid-response', INVALID);
      }
      expect((await client.get('/anchors/a')).body).toEqual(record);
    }
  });

  it('proxy: is not believed about an update', async () => {
    const { client, record } = await proxied('update');
    answersWith(changed(record));
    const answer = await client.update('/anchors/a', record, later);
    expectRefusal(answer, client, 'crypto.signature-invalid', /^Invalid dto signature: \{/);
  });

  it('proxy: is not believed about a proof that it does not show, or shows on another anchor', async () => {
    const { client, record } = await proxied('sign');
    answersWith(record);
    const unshown = await client.prove('/anchors/a', record, {});
    expectRefusal(unshown, client, 'forward.invalid-response', INVALID);
    const other = bridge.keep(anchor('b'), client.key);
    const proof = proofOver(other.hash, client.key, {});
    answersWith({ ...other, meta: { ...other.meta, proofs: [...other.meta.proofs, proof] } });
    const elsewhere = await client.call('POST', '/anchors/a/proofs', proof);
    expectRefusal(elsewhere, client, 'forward.invalid-response', INVALID);
  });
});

describe('a drop that is forwarded', () => {
  it.each(['validate', 'synchronize', undefined])('%s: is done when the bridge has done it', async (strategy) => {
    const { client, record } = await kept('drop', strategy);
    const body = dropOf(record, client.key);
    const answer = await client.call('DELETE', '/anchors/a', body);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { method, url, body: sent } = bridge.only;
    expect([method, url]).toEqual(['DELETE', '/v2/anchors/a']);
    expect(Object.keys(sent)).toEqual(['data', 'hash', 'luid', 'meta']);
    expect(sent).toMatchObject({ data: { parent: record.hash }, hash: body.hash, luid: record.luid });
    expect(sent.meta.proofs[0]).toEqual(body.meta.proofs[0]);
    expect(sent.meta.proofs[1].custom).toEqual({ moment: expect.any(String), status: 'dropped' });
    expect(sent.meta.proofs).toHaveLength(2);
    expect((await client.get('/anchors/a')).status).toBe(404);
  });

  it('proxy: is passed on, and nothing of the ledger is dropped', async () => {
    const { client, record } = await kept('drop', 'proxy');
    expect((await client.drop('/anchors/a', record)).status).toBe(204);
    expect(bridge.records.size).toBe(0);
    expect((await client.get('/anchors/a')).body).toEqual(record);
  });

  it('proxy: drops what only the bridge has, by either of its routes', async () => {
    const { client, record } = await proxied('drop');
    const answer = await client.call('POST', '/anchors/a/drop', dropOf(record, client.key));
    expect(answer.status, answer.text).toBe(204);
    expect(bridge.only.method).toBe('DELETE');
  });

  it('is not done when the bridge refuses', async () => {
    const { client, record } = await kept('drop', 'validate');
    bridge.instead = () => bridge.refusal(422, { reason: 'record.drop-rejected', detail: 'Still in use' });
    const answer = await client.drop('/anchors/a', record);
    expect([answer.status, answer.body.data]).toEqual([
      422,
      { reason: 'record.drop-rejected', detail: 'Still in use' },
    ]);
    expect((await client.get('/anchors/a')).body).toEqual(record);
  });
});
