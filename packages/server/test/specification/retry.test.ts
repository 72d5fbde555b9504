import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { founded, GATE } from '../access-http/support.js';
import { expectRefusal } from '../support/checks.js';
import { dropOf, newKey, newLedger, proofOver, signed, type TestAnswer, updateOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

async function answered(answer: Promise<TestAnswer>): Promise<[number, string]> {
  const { status, text } = await answer;
  return [status, text];
}

describe('Retry safety (contract 00)', () => {
  const detail = 'Wallet with handle w already exists.';

  it('the same signed body again answers 200 with the record as it is now', async () => {
    const client = await newLedger(server.current.url);
    const body = signed({ handle: 'w' }, client.key);
    const first = await client.call('POST', '/wallets', body);
    expect(first.status).toBe(201);
    expect((await client.call('POST', '/wallets', body)).text).toBe(first.text);
    const updated = ok(await client.update('/wallets/w', first.body, { handle: 'w', custom: { a: 1 } }));
    const again = await client.call('POST', '/wallets', body);
    expect([again.status, again.text]).toEqual([200, updated.text]);
    expect((await client.get('/wallets/w/changes')).body.page.total).toBe(2);
  });

  it('sent many times at once it is stored once', async () => {
    const client = await newLedger(server.current.url);
    const body = signed({ handle: 'w' }, client.key);
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.call('POST', '/wallets', body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await client.get('/wallets/w/changes')).body.page.total).toBe(1);
  });

  it('a different body under the same handle stays 409', async () => {
    const client = await newLedger(server.current.url);
    const body = signed({ handle: 'w' }, client.key);
    const first = ok(await client.call('POST', '/wallets', body)).body;
    const [proof] = body.meta.proofs;
    const others = [
      signed({ handle: 'w', custom: {} }, client.key),
      signed({ handle: 'w' }, newKey()),
      { ...body, meta: { proofs: [proofOver(body.hash, client.key, { status: 'created', again: true })] } },
      { ...body, meta: { proofs: [proof, proofOver(body.hash, newKey())] } },
    ];
    for (const other of others) {
      expectRefusal(await client.call('POST', '/wallets', other), client, 'record.duplicated', detail);
    }
    expect((await client.get('/wallets')).body.data).toEqual([first]);
  });

  it('an earlier record of the handle does not count', async () => {
    const client = await newLedger(server.current.url);
    const body = signed({ handle: 'w' }, client.key);
    const first: RecordEnvelope = ok(await client.call('POST', '/wallets', body)).body;
    expect((await client.drop('/wallets/w', first)).status).toBe(204);
    await stored(client, 'wallet', { handle: 'w', custom: {} });
    expectRefusal(await client.call('POST', '/wallets', body), client, 'record.duplicated', detail);
  });

  it('holds too where a token came with the signed body, and for nothing that only a token signed', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'signer', { handle: 's', public: client.key.public, format: 'ed25519-raw' });
    const body = signed({ handle: 'w' }, client.key);
    const first = ok(await client.call('POST', '/wallets', body, bearer(client.key)));
    expect(first.body.meta.proofs).toHaveLength(3);
    const again = await client.call('POST', '/wallets', body, bearer(client.key));
    expect([again.status, again.text]).toEqual([200, first.text]);
    const unsigned = { data: { handle: 'v' }, meta: { proofs: [{ custom: { status: 'created' } }] } };
    ok(await client.call('POST', '/wallets', unsigned, bearer(client.key)));
    const taken = await client.call('POST', '/wallets', unsigned, bearer(client.key));
    expectRefusal(taken, client, 'record.duplicated', 'Wallet with handle v already exists.');
  });

  const STALE = "Hash verification failed, hashes don't match";

  it('the same signed update again answers 200 with the record, as long as its data is the current one', async () => {
    const client = await newLedger(server.current.url);
    const first = await stored(client, 'wallet', { handle: 'w' });
    const body = updateOf(first, { handle: 'w', custom: { a: 1 } }, client.key);
    const updated = ok(await client.call('PUT', '/wallets/w', body));
    expect(await answered(client.call('PUT', '/wallets/w', body))).toEqual([200, updated.text]);
    expect(await answered(client.call('PUT', `/wallets/${first.luid}`, body))).toEqual([200, updated.text]);
    const proved = ok(await client.prove('/wallets/w', updated.body, { status: 'active' }));
    expect(await answered(client.call('PUT', '/wallets/w', body))).toEqual([200, proved.text]);
    expect((await client.get('/wallets/w/changes')).body.page.total).toBe(3);

    // Whoever signs it anew asks for another update, and with another luid it is not the same.
    const [proof] = body.meta.proofs;
    const others = [
      updateOf(first, { handle: 'w', custom: { a: 1 } }, newKey()),
      { ...body, meta: { proofs: [proofOver(body.hash, client.key, { again: true })] } },
      { ...body, meta: { proofs: [proof, proofOver(body.hash, newKey())] } },
      updateOf(first, { handle: 'w', custom: { a: 2 } }, client.key),
    ];
    for (const other of others) {
      expectRefusal(await client.call('PUT', '/wallets/w', other), client, 'crypto.parent-hash-invalid', STALE);
    }
    const mismatch = 'Luid in the request does not match the luid of the record';
    const moved = await client.call('PUT', '/wallets/w', { ...body, luid: '$wlt.-0000000000000000' });
    expectRefusal(moved, client, 'record.invalid', mismatch);
    const newer = ok(await client.update('/wallets/w', updated.body, { handle: 'w' }));
    expectRefusal(await client.call('PUT', '/wallets/w', body), client, 'crypto.parent-hash-invalid', STALE);
    expect((await client.get('/wallets/w')).text).toBe(newer.text);
  });

  it('sent many times at once an update is stored once, and so is a drop', async () => {
    const client = await newLedger(server.current.url);
    const first = await stored(client, 'wallet', { handle: 'w' });
    const body = updateOf(first, { handle: 'w' }, client.key);
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.call('PUT', '/wallets/w', body)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    const drop = dropOf(answers[0]!.body, client.key);
    const drops = await Promise.all(Array.from({ length: 12 }, () => client.call('DELETE', '/wallets/w', drop)));
    expect(drops.map(({ status }) => status)).toEqual(Array(12).fill(204));
    expect((await client.get(`/wallets/${first.luid}/changes`)).body.page.total).toBe(3);
  });

  it('the same signed drop again answers 204, and any other 404', async () => {
    const client = await newLedger(server.current.url);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const drop = dropOf(wallet, client.key);
    expect((await client.call('DELETE', '/wallets/w', drop)).status).toBe(204);
    for (const [method, path] of [
      ['DELETE', '/wallets/w'],
      ['POST', '/wallets/w/drop'],
      ['DELETE', `/wallets/${wallet.luid}`],
    ] as const) {
      expect(await answered(client.call(method, path, drop))).toEqual([204, '']);
    }
    const others: [string, unknown][] = [
      ['/wallets/other', drop],
      ['/wallets/$wlt.-0000000000000000', drop],
      ['/wallets/w', { ...drop, luid: '$wlt.-0000000000000000' }],
      [
        '/wallets/w',
        { ...drop, meta: { proofs: [proofOver(drop.hash, client.key, { status: 'dropped', again: true })] } },
      ],
      ['/wallets/w', { ...drop, meta: { proofs: [...drop.meta.proofs, proofOver(drop.hash, newKey())] } }],
      ['/wallets/w', dropOf(wallet, newKey())],
      ['/symbols/w', drop],
    ];
    for (const [path, body] of others) {
      const missing = path.startsWith('/symbols') ? 'Symbol not found' : 'Wallet not found';
      expectRefusal(await client.call('DELETE', path, body), client, 'record.not-found', missing);
    }
    expect((await client.get(`/wallets/${wallet.luid}/changes`)).body.page.total).toBe(2);
  });

  it('once there is another record under the handle, the drop says nothing about that', async () => {
    const client = await newLedger(server.current.url);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const drop = dropOf(wallet, client.key);
    expect((await client.call('DELETE', '/wallets/w', drop)).status).toBe(204);
    const again = await stored(client, 'wallet', { handle: 'w' });
    expect((await client.call('DELETE', '/wallets/w', drop)).status).toBe(422);
    expect((await client.call('DELETE', `/wallets/${wallet.luid}`, drop)).status).toBe(204);
    expect((await client.get('/wallets/w')).body).toEqual(again);
  });

  it('holds for a membership too, which has no handle', async () => {
    const client = await newLedger(server.current.url);
    const signer = await stored(client, 'signer', { handle: 's', public: newKey().public, format: 'ed25519-raw' });
    await stored(client, 'circle', { handle: 'c' });
    await stored(client, 'circle', { handle: 'd' });
    const drop = dropOf(await stored(client, 'circle-signer', { circle: 'c', signer: 's' }), client.key);
    expect((await client.call('DELETE', '/circles/c/signers/s', drop)).status).toBe(204);
    expect((await client.call('DELETE', '/circles/c/signers/s', drop)).status).toBe(204);
    expect((await client.call('DELETE', `/circles/c/signers/${signer.luid}`, drop)).status).toBe(204);
    expect((await client.call('DELETE', '/circles/c/signers/t', drop)).status).toBe(404);
    expect((await client.call('DELETE', '/circles/d/signers/s', drop)).status).toBe(422);
  });

  it('tells whoever has lost the right no more than it tells a stranger', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const ada = founder.as(newKey());
    const rule = (action: string): JsonObject => ({ action, signer: { public: ada.key.public } });
    const wallet = await stored(founder, 'wallet', { handle: 'w', access: [rule('any')] });
    const update = updateOf(wallet, { handle: 'w', access: [rule('read')] }, ada.key);
    const updated: RecordEnvelope = ok(await ada.call('PUT', '/wallets/w', update)).body;
    expectRefusal(await ada.call('PUT', '/wallets/w', update), founder, 'auth.forbidden', 'Cannot update wallet.');

    const drop = dropOf(updated, founder.key);
    expect((await founder.call('DELETE', '/wallets/w', drop)).status).toBe(204);
    const { body: ledger } = await founder.get('/ledger', bearer(founder.key));
    const { parent: _, config: __, ...data } = ledger.data;
    ok(await founder.update('/ledger', ledger, { ...data, access: [GATE] }));
    expectRefusal(await founder.call('DELETE', '/wallets/w', drop), founder, 'record.not-found', 'Wallet not found');
  });
});
