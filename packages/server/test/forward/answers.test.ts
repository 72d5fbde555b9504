import { hash as hashOf, type Json, type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { jsonLimits } from '../../src/base/json-limits.js';
import { recordLimits } from '../../src/records/record-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, proofOver, systemKeyOf, type TestClient } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { type Received, withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const INVALID = 'Invalid response from bridge bank';
const UNEXPECTED = 'Unexpected error while forwarding request to bridge';

const creating = (strategy: string) => forwardingLedger(server.current.url, bridge.url, [aspect('create', strategy)]);

/** The answer to a create that the bridge answers with this. */
async function answered(client: TestClient, status: number, body: (sent: RecordEnvelope) => Json | undefined) {
  bridge.instead = ({ body: sent }: Received) => {
    const answer = body(sent);
    return { status, ...(answer === undefined ? {} : { body: answer }) };
  };
  return client.create('/anchors', anchor('a'));
}

const strategies = ['proxy', 'validate', 'synchronize'];

describe('a signed error of a bridge', () => {
  it.each(strategies)('%s: is passed on, signed by the ledger too', async (strategy) => {
    const client = await creating(strategy);
    const data = { reason: 'bank.account-closed', detail: 'The account is closed', custom: { since: '2030-01-01' } };
    bridge.instead = () => bridge.refusal(409, data);
    const { status, body } = await client.create('/anchors', anchor('a'));
    expect(status).toBe(409);
    expect(Object.keys(body)).toEqual(['hash', 'data', 'meta']);
    expect(body).toMatchObject({ hash: hashOf(data, native), data });
    const [banks, system, ...others] = body.meta.proofs;
    expect(others).toEqual([]);
    expect(banks.public).toBe(bridge.key.public);
    expect(system).toMatchObject({ public: systemKeyOf(client), signer: 'system', origin: 'key-pair' });
    expect(system.custom).toEqual({
      moment: body.meta.moment,
      causedBy: { detail: 'Error derived from anchor forwarding response' },
    });
    for (const proof of [banks, system]) expect(verifyProof(body.hash, proof, native)).toBe(true);
    expect(await stored(client, 'a')).toBe(false);
  });

  it('names the signer of this ledger whose key has signed it, and where its key comes from', async () => {
    const client = await creating('validate');
    const refused = async () => {
      bridge.instead = () => bridge.refusal(409, { reason: 'bank.account-closed', detail: 'The account is closed' });
      return (await client.create('/anchors', anchor('a'))).body.meta.proofs[0];
    };
    const stranger = await refused();
    expect(stranger.public).toBe(bridge.key.public);
    expect(stranger).not.toHaveProperty('signer');
    expect(stranger).not.toHaveProperty('origin');
    ok(await client.create('/signers', { handle: 'bank-key', format: 'ed25519-raw', public: bridge.key.public }));
    expect(await refused()).toMatchObject({ public: bridge.key.public, signer: 'bank-key', origin: 'key-pair' });
  });

  it('does not say of itself who signed it', async () => {
    const client = await creating('proxy');
    const data = { reason: 'x', detail: 'y' };
    const hash = hashOf(data, native);
    const proof = { ...proofOver(hash, bridge.key), signer: 'system', origin: 'key-pair' };
    const answer = await answered(client, 422, () => ({ hash, data, meta: { proofs: [proof] } }));
    expect(answer.status).toBe(422);
    expect(answer.body.meta.proofs[0]).not.toHaveProperty('signer');
  });

  it('of 401 is about the token of the ledger, and not passed on', async () => {
    const client = await creating('validate');
    bridge.instead = () => bridge.refusal(401, { reason: 'auth.unauthorized', detail: 'Invalid token.' });
    const answer = await client.create('/anchors', anchor('a'));
    expectRefusal(answer, client, 'forward.unexpected-error', UNEXPECTED);
  });

  const data = { reason: 'x', detail: 'y' };
  const hash = hashOf(data, native);
  const error = (more: JsonObject): JsonObject => ({
    hash,
    data,
    meta: { proofs: [proofOver(hash, bridge.key)] },
    ...more,
  });
  it.each<[string, number, () => JsonObject]>([
    ['without a proof', 422, () => error({ meta: { proofs: [] } })],
    ['without proofs', 422, () => error({ meta: {} })],
    ['without meta', 422, () => ({ hash, data })],
    ['with another hash', 422, () => error({ hash: 'a'.repeat(64) })],
    [
      'with the hash of another, which is signed',
      422,
      () => error({ hash: 'a'.repeat(64), meta: { proofs: [proofOver('a'.repeat(64), bridge.key)] } }),
    ],
    ['with a proof of something else', 422, () => error({ meta: { proofs: [proofOver('a'.repeat(64), bridge.key)] } })],
    ['with a proof that is none', 422, () => error({ meta: { proofs: [7] } })],
    ['with a redirect', 302, () => error({})],
    ['with a status beyond errors', 600, () => error({})],
  ])('%s is not passed on', async (_, status, body) => {
    const client = await creating('validate');
    expectRefusal(await answered(client, status, body), client, 'forward.invalid-response', INVALID);
    expect(await stored(client, 'a')).toBe(false);
  });
});

describe('an answer that is neither record nor signed error', () => {
  it.each<[string, number, Json | undefined]>([
    ['nothing', 200, undefined],
    ['text', 200, 'fine'],
    ['an object', 200, {}],
    ['a list', 201, []],
    ['null', 200, null],
    ['data alone', 200, { data: anchor('a') }],
    ['no content', 204, undefined],
    ['a plain error', 500, { error: 'oops' }],
    ['a page', 404, undefined],
    ['__proto__', 200, JSON.parse('{"__proto__":{"data":{}},"hash":"a"}')],
  ])('is told as that: %s', async (_, status, body) => {
    for (const strategy of strategies) {
      const client = await creating(strategy);
      expectRefusal(await answered(client, status, () => body), client, 'forward.invalid-response', INVALID);
      expect(await stored(client, 'a')).toBe(false);
    }
  });

  it('is told as that: no JSON, no UTF-8, JSON too deep or with too much in it', async () => {
    const client = await creating('validate');
    const deep = '['.repeat(jsonLimits.depth + 1) + ']'.repeat(jsonLimits.depth + 1);
    const many = JSON.stringify({ hash: 'a', data: Array.from({ length: jsonLimits.values }, () => 0) });
    for (const text of ['<html>', '{"a":', Buffer.from([0x22, 0xff, 0xfe, 0x22]), deep, many]) {
      bridge.instead = () => (response) => void response.writeHead(200).end(text);
      expectRefusal(await client.create('/anchors', anchor('a')), client, 'forward.invalid-response', INVALID);
    }
  });
});

describe('a record that a bridge answers', () => {
  const sealed = (sent: RecordEnvelope): JsonObject =>
    bridge.sealed(sent as unknown as JsonObject) as unknown as JsonObject;

  it.each(strategies)('%s: must have the hash of its data', async (strategy) => {
    const client = await creating(strategy);
    const answer = await answered(client, 201, (sent) => ({ ...sealed(sent), hash: 'b'.repeat(64) }));
    expectRefusal(answer, client, 'crypto.hash-invalid', `Invalid dto hash: ${'b'.repeat(64)}`);
    expect(await stored(client, 'a')).toBe(false);
  });

  it.each(strategies)('%s: is served in lower case, however the bridge spells its hash', async (strategy) => {
    const client = await creating(strategy);
    const answer = await answered(client, 201, (sent) => ({ ...sealed(sent), hash: sent.hash.toUpperCase() }));
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.hash).toBe(hashOf(answer.body.data, native));
  });

  it.each(strategies)('%s: must be what the client signed', async (strategy) => {
    const client = await creating(strategy);
    let first: JsonObject = {};
    const answer = await answered(client, 201, (sent) => {
      first = sent.meta.proofs[0] as JsonObject;
      const data = { ...sent.data, target: 'mine' };
      return sealed({ ...sent, data, hash: hashOf(data, native) });
    });
    const detail = `Invalid dto signature: ${JSON.stringify(first)}`;
    expectRefusal(answer, client, 'crypto.signature-invalid', detail);
    expect(await stored(client, 'a')).toBe(false);
  });

  it.each(strategies)('%s: must be that, also where the bridge alone has signed it', async (strategy) => {
    const client = await creating(strategy);
    const answer = await answered(client, 201, (sent) => {
      const data = { ...sent.data, target: 'mine' };
      return sealed({ ...sent, data, hash: hashOf(data, native), meta: { ...sent.meta, proofs: [] } });
    });
    expectRefusal(answer, client, 'crypto.signature-invalid', /^Invalid dto signature: \{/);
    expect(await stored(client, 'a')).toBe(false);
  });

  it.each(strategies)('%s: must carry the proof of the client', async (strategy) => {
    const client = await creating(strategy);
    const answer = await answered(client, 201, (sent) => sealed({ ...sent, meta: { ...sent.meta, proofs: [] } }));
    expectRefusal(answer, client, 'forward.invalid-response', INVALID);
    expect(await stored(client, 'a')).toBe(false);
  });

  it.each<[string, (client: TestClient, hash: string) => JsonObject]>([
    [
      'in the name of system, by another key over another hash',
      () => proofOver('c'.repeat(64), newKey()) as JsonObject,
    ],
    [
      'of the system key that system never made',
      (client, hash) => ({ ...proofOver(hash, newKey()), public: systemKeyOf(client) }),
    ],
    [
      'of the client that the client never made',
      (client, hash) => ({ ...proofOver(hash, newKey()), public: client.key.public }),
    ],
    [
      'whose custom data was changed',
      (client, hash) => ({ ...proofOver(hash, client.key), custom: { status: 'active' } }),
    ],
    ['by another method', (client, hash) => ({ ...proofOver(hash, client.key), method: 'ed25519' })],
  ])('must not have a proof %s', async (_, forged) => {
    for (const strategy of strategies) {
      const client = await creating(strategy);
      const answer = await answered(client, 201, (sent) => {
        const proof = { ...forged(client, sent.hash), signer: 'system' };
        return { ...sealed(sent), meta: { proofs: [...sent.meta.proofs, proof] as JsonObject[] } };
      });
      expectRefusal(answer, client, 'crypto.signature-invalid', /^Invalid dto signature: \{/);
      expect(await stored(client, 'a')).toBe(false);
    }
  });

  it('is not believed when it says who signed it', async () => {
    for (const strategy of ['proxy', 'synchronize']) {
      const client = await creating(strategy);
      const answer = await answered(client, 201, (sent) => {
        const proof = {
          ...proofOver(sent.hash, bridge.key, { status: 'created' }),
          signer: 'system',
          origin: 'key-pair',
          issuer: 'system',
        };
        return { ...sealed(sent), meta: { proofs: [...sent.meta.proofs, proof] as JsonObject[] } };
      });
      expect(answer.status, answer.text).toBe(201);
      const banks = answer.body.meta.proofs.find((proof: JsonObject) => proof.public === bridge.key.public);
      expect(Object.keys(banks)).toEqual(expect.not.arrayContaining(['signer', 'issuer', 'origin']));
      const named = answer.body.meta.proofs.filter((proof: JsonObject) => proof.signer === 'system');
      for (const proof of named) expect(proof.public).toBe(systemKeyOf(client));
    }
  });

  it('has as many proofs as a record carries, and not one more', async () => {
    const keys = Array.from({ length: recordLimits.proofs }, newKey);
    for (const [strategy, own] of [
      ['proxy', 2],
      ['synchronize', 3],
    ] as const) {
      const answerWith = async (count: number) => {
        const client = await creating(strategy);
        const answer = await answered(client, 201, (sent) => {
          const more = keys.slice(0, count - own).map((key) => proofOver(sent.hash, key));
          return {
            ...(sent as unknown as JsonObject),
            meta: { proofs: [...sent.meta.proofs, ...more] as JsonObject[] },
          };
        });
        return answer;
      };
      expect((await answerWith(recordLimits.proofs)).body.meta.proofs).toHaveLength(recordLimits.proofs);
      expect((await answerWith(recordLimits.proofs + 1)).body.data.reason).toBe('forward.invalid-response');
    }
  });

  it('adds as many proofs as there is room for beside those kept, and not one more', async () => {
    const keys = Array.from({ length: recordLimits.proofs }, newKey);
    const answerWith = async (added: number) => {
      const client = await creating('synchronize');
      const answer = await answered(client, 201, (sent) => {
        const more = keys.slice(0, added).map((key) => proofOver(sent.hash, key));
        // Of those it was sent, it gives back the client's alone: the ledger keeps its own all the same.
        return {
          ...(sent as unknown as JsonObject),
          meta: { proofs: [sent.meta.proofs[0], ...more] as JsonObject[] },
        };
      });
      return { answer, kept: await stored(client, 'a') };
    };
    const most = await answerWith(recordLimits.proofs - 2);
    expect(most.answer.body.meta.proofs).toHaveLength(recordLimits.proofs);
    const more = await answerWith(recordLimits.proofs - 1);
    expect([more.answer.body.data.reason, more.kept]).toEqual(['forward.invalid-response', false]);
  });

  it('keeps the same proof once', async () => {
    const client = await creating('synchronize');
    const answer = await answered(client, 201, (sent) => {
      const proof = proofOver(sent.hash, bridge.key);
      return {
        ...(sent as unknown as JsonObject),
        meta: { proofs: [...sent.meta.proofs, proof, proof] as JsonObject[] },
      };
    });
    expect(answer.body.meta.proofs).toHaveLength(4);
  });

  it.each([7, 'luid', '$wlt.-1', null])('is none with the luid %j', async (luid) => {
    const client = await creating('proxy');
    const answer = await answered(client, 201, (sent) => ({ ...sealed(sent), luid }));
    expectRefusal(answer, client, 'forward.invalid-response', INVALID);
  });

  it('does not name the luid, status or owners of what the ledger keeps', async () => {
    const client = await creating('synchronize');
    const other = '$anc.-someoneelses1111';
    const answer = await answered(client, 201, (sent) => ({
      ...sealed(sent),
      luid: other,
      meta: {
        proofs: sent.meta.proofs as unknown as Json[],
        status: 'active',
        owners: [bridge.key.public],
        domain: 'x',
        labels: ['y'],
      },
    }));
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.luid).not.toBe(other);
    expect(answer.body.meta).toMatchObject({ status: 'created', owners: [client.key.public] });
    expect(answer.body.meta).not.toHaveProperty('domain');
    expect(answer.body.meta).not.toHaveProperty('labels');
  });

  it('fallback: must be what its client signed, also long after', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('read', 'fallback')]);
    const record = bridge.keep(anchor('a'));
    const data = { ...record.data, target: 'mine' };
    bridge.records.set('a', { ...record, data, hash: hashOf(data, native) });
    const answer = await client.get('/anchors/a');
    expectRefusal(answer, client, 'crypto.signature-invalid', /^Invalid dto signature: \{/);
  });
});
