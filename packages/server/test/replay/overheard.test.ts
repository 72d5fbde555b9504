import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { everythingFor, founded, GATE } from '../access-http/support.js';
import { newKey, proofOver, signed, TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withOwnServer();

describe('a create that somebody else sends again', () => {
  it('tells what it made, and not what has become of that since', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const body = signed({ handle: 'w' }, founder.key);
    const made = ok(await founder.call('POST', '/wallets', body));
    ok(await founder.update('/wallets/w', made.body, { handle: 'w', custom: { salary: 1 } }));
    const stranger = founder.as(newKey());
    const again = await stranger.call('POST', '/wallets', body);
    expect([again.status, again.text]).toEqual([200, made.text]);
    const own = await stranger.call('POST', '/wallets', body, bearer(stranger.key));
    expect([own.status, own.text]).toEqual([200, made.text]);
    // Who may read it sees it as it is.
    const now = await founder.get('/wallets/w', bearer(founder.key));
    const told = await founder.call('POST', '/wallets', body, bearer(founder.key));
    expect([told.status, told.text]).toEqual([200, now.text]);
  });

  it('does so for ledgers too', async () => {
    const key = newKey();
    const client = new TestClient(server.current.url, key);
    const handle = `overheard-${process.pid}-${Date.now()}`;
    const body = signed({ handle, signer: 'system', access: everythingFor(key) }, key);
    const made = ok(await client.call('POST', '/ledgers', body));
    const config = { 'access.strategy': 'policy-based' };
    const access = everythingFor(key);
    const data = { handle, signer: 'system', access, custom: { plan: 'x' }, config };
    const changed = ok(await client.in(handle).update('/ledger', made.body, data));
    const again = await client.as(newKey()).call('POST', '/ledgers', body);
    expect([again.status, again.text]).toEqual([200, made.text]);
    // Under policies that let nobody in, its owners read it.
    const told = await client.call('POST', '/ledgers', body, bearer(key));
    expect([told.status, told.text]).toEqual([200, changed.text]);
  });

  it('tells a bridge no more than others, with the token that the ledger called it with', async () => {
    const key = newKey();
    const client = new TestClient(server.current.url, key);
    const handle = `bridged-${process.pid}-${Date.now()}`;
    const config = { 'access.strategy': 'policy-based' };
    const data = { handle, signer: 'system', access: everythingFor(key), config };
    const body = signed(data, key);
    const made = ok(await client.call('POST', '/ledgers', body));
    const open = client.in(handle);
    // Whoever has a token of a signer may read.
    const readers = { action: { $in: ['read', 'access'] }, bearer: { $signer: { handle: { $regex: '.*' } } } };
    const values: JsonObject[] = [...everythingFor(key), readers];
    const { hash } = await stored(open, 'policy', { handle: 'all', schema: 'access', record: 'any', values });
    ok(await open.call('POST', '/policies/all/proofs', proofOver(hash, key, { status: 'active' })));
    const changed = ok(await open.update('/ledger', made.body, { ...data, custom: { plan: 'since' } }));
    const { system } = await server.current.server.service.ledgers.resolve(handle);
    const iat = Math.floor(Date.now() / 1000);
    const claims = { iss: `ledger:${handle}`, sub: `system@${handle}`, aud: 'bridge', iat, exp: iat + 86_400 };
    const own = { authorization: `Bearer ${system.token(claims)}` };
    for (const path of ['/ledger', `/ledgers/${handle}`]) expect((await open.get(path, own)).status).toBe(401);
    expect((await client.call('POST', '/ledgers', body)).text).toBe(made.text);
    const again = await client.call('POST', '/ledgers', body, own);
    expect([again.status, again.body.data.reason]).toEqual([401, 'auth.unauthorized']);
    // A signer's token is told.
    await stored(open, 'signer', { handle: 'owner', public: key.public, format: 'ed25519-raw' });
    expect((await client.call('POST', '/ledgers', body, bearer(key))).text).toBe(changed.text);
  });

  it('shows no secret that a policy does not show of the record as it is now', async () => {
    const clerk = newKey();
    const values: JsonObject[] = [
      { action: { $in: ['access', 'create'] }, record: 'any', signer: { public: clerk.public } },
      {
        action: 'reveal',
        record: 'signer-factor-secret',
        signer: { public: clerk.public },
        filter: { 'custom.team': 'a' },
      },
    ];
    const open = await founded(server.current.url);
    const policies = [
      { handle: 'operator', schema: 'access', record: 'any', values: everythingFor(open.key) },
      { handle: 'clerk', schema: 'access', values },
    ];
    for (const one of policies) {
      const { hash } = await stored(open, 'policy', one);
      ok(await open.call('POST', `/policies/${one.handle}/proofs`, proofOver(hash, open.key, { status: 'active' })));
    }
    await stored(open, 'signer', { handle: 'app', public: newKey().public, format: 'ed25519-raw' });
    const { body: ledger } = ok(await open.get('/ledger', bearer(open.key)));
    ok(await open.update('/ledger', ledger, { ...ledger.data, config: { 'access.strategy': 'policy-based' } }));
    const data = { handle: 'f', signer: 'app', schema: 'otp', secret: '{{ secret.seed }}', custom: { team: 'a' } };
    const body = signed(data, clerk);
    const sent = { ...body, meta: { ...body.meta, secret: { seed: 'first' } } };
    const path = '/signers/app/factors?include=meta.secret';
    const made = ok(await open.call('POST', path, sent, bearer(clerk)));
    expect(made.body.meta.secret).toEqual({ seed: 'first' });
    expect(ok(await open.call('POST', path, sent, bearer(clerk))).body.meta.secret).toEqual({ seed: 'first' });
    const change = signed({ ...data, custom: { team: 'b' }, parent: made.body.hash }, open.key, {});
    const update = { ...change, meta: { ...change.meta, secret: { seed: 'second' } } };
    ok(await open.call('PUT', '/signers/app/factors/f', update));
    const again = await open.call('POST', path, sent, bearer(clerk));
    expect(again.text).not.toContain('second');
    expect(again.status).toBe(403);
  });
});
