import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, proofOver, signed } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

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

  it('an update or a drop sent again tells that it was done: 422 and 404', async () => {
    const client = await newLedger(server.current.url);
    const first = await stored(client, 'wallet', { handle: 'w' });
    const updated = ok(await client.update('/wallets/w', first, { handle: 'w' })).body;
    const stale = "Hash verification failed, hashes don't match";
    const again = await client.update('/wallets/w', first, { handle: 'w' });
    expectRefusal(again, client, 'crypto.parent-hash-invalid', stale);
    expect((await client.drop('/wallets/w', updated)).status).toBe(204);
    expectRefusal(await client.drop('/wallets/w', updated), client, 'record.not-found', 'Wallet not found');
  });
});
