import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { SYSTEM_SIGNERS } from '../../src/kinds/signer.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, proofOver, signed, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { founded, GATE, outcome, readBy, registered } from './support.js';

const server = withServer();
const signer = (handle: string, key: TestKey): JsonObject => ({ handle, public: key.public, format: 'ed25519-raw' });

describe.each(SYSTEM_SIGNERS)('the signer %s of the ledger itself (interface/signers)', (handle) => {
  it('is there already: 409, even in a ledger open to all', async () => {
    const client = await newLedger(server.current.url);
    const answer = await client.create('/signers', signer(handle, newKey()));
    expectRefusal(answer, client, 'record.duplicated', `Signer with handle ${handle} already exists.`);
  });

  it('is changed and proven by nobody, and gets no other key', async () => {
    const client = await newLedger(server.current.url);
    const path = `/signers/${handle}`;
    const before = await client.get(path);
    const { parent: _, ...data } = before.body.data;
    const forbidden = (answer: Awaited<ReturnType<typeof client.get>>, detail: string) =>
      expectRefusal(answer, client, 'auth.forbidden', detail);
    forbidden(await client.update(path, before.body, { ...data, public: client.key.public }), 'Cannot update signer.');
    forbidden(await client.update(path, before.body, data), 'Cannot update signer.');
    forbidden(await client.prove(path, before.body, { status: 'inactive' }), 'Cannot update signer.');
    const byLuid = `/signers/${before.body.luid}`;
    forbidden(await client.prove(byLuid, before.body, { labels: ['x'] }), 'Cannot update signer.');
    const factors: JsonObject[] = [
      { handle: 'f-1', signer: handle, schema: 'key-pair', format: 'ed25519-raw', public: client.key.public },
      { handle: 'f-2', signer: handle, schema: 'otp' },
      { handle: 'f-3', signer: handle, schema: 'oauth-client-credentials' },
    ];
    for (const factor of factors) {
      forbidden(await client.create(`${path}/factors`, factor), 'Cannot create signer-factor.');
    }
    expect((await client.get(`${path}/factors`)).body.data).toEqual([]);
    expect((await client.get(path)).text).toBe(before.text);
    expect((await client.get(`${path}/changes`)).body.page.total).toBe(1);
  });

  it('shows no secret, and takes no name of another signer', async () => {
    const client = await newLedger(server.current.url);
    const alice = await stored(client, 'signer', signer('alice', newKey()));
    const renamed = await client.update('/signers/alice', alice, signer(handle, client.key));
    expect(renamed.status).toBe(409);
    const shown = ok(await client.get(`/signers/${handle}?include[0]=meta.secret`));
    expect(shown.body.meta).not.toHaveProperty('secret');
  });
});

describe('tricks with keys and handles', () => {
  it('a token that names a handle is verified with the key of that signer', async () => {
    const founder = await founded(server.current.url, [{ action: 'read', record: 'any', bearer: {} }]);
    const alice = await registered(founder, 'alice');
    const mallory = newKey();
    const named = (kid: string, key: TestKey) => founder.get('/ledger', bearer({ ...key, public: kid }));
    expect(outcome(await named('alice', alice))).toBe('200');
    for (const kid of ['alice', 'system', 'ghost', 'ALICE', 'alice ', 'alice\u0000', '../alice', founder.key.public]) {
      expect(outcome(await named(kid, mallory)), kid).toBe('401 Invalid token.');
    }
  });

  it('a signer is not known by the same handle of another ledger', async () => {
    const rules = [GATE, { action: 'read', record: 'any', bearer: { $signer: { handle: 'alice' } } }];
    const [mine, theirs] = [await founded(server.current.url, rules), await founded(server.current.url, rules)];
    const [alice, other] = [await registered(mine, 'alice'), await registered(theirs, 'alice')];
    await stored(mine, 'wallet', { handle: 'w' });
    const byHandle = (key: TestKey) => mine.get('/wallets/w', bearer({ ...key, public: 'alice' }));
    expect(outcome(await byHandle(alice))).toBe('200');
    expect(outcome(await byHandle(other))).toBe('401 Invalid token.');
    expect(outcome(await readBy(mine, other, '/wallets/w'))).toBe('403 Cannot read wallet.');
  });

  it('a rule for a handle is not for a key registered under another', async () => {
    const founder = await founded(server.current.url, [
      GATE,
      { action: 'create', record: 'signer' },
      { action: 'update', record: 'wallet', signer: { handle: 'alice' } },
    ]);
    const alice = await registered(founder, 'alice');
    const wallet = await stored(founder, 'wallet', { handle: 'w' });
    const mallory = newKey();
    // Mallory's own key under names that look like it, and alice's key under Mallory's name.
    for (const handle of ['Alice', 'alice.', 'alice@x', 'x:alice']) {
      ok(await founder.as(mallory).create('/signers', signer(handle, mallory)));
    }
    ok(await founder.as(mallory).create('/signers', signer('mallory', alice)));
    expect(outcome(await founder.as(mallory).prove('/wallets/w', wallet, {}))).toBe('403 Cannot create wallet-proof.');
    const proven = ok(await founder.as(alice).prove('/wallets/w', wallet, {}));
    expect(proven.body.meta.proofs.at(-1).signer).toBe('alice');
  });

  it('a proof speaks for the key that signed it, whatever it says', async () => {
    const founder = await founded(server.current.url, [
      GATE,
      { action: 'any', record: 'wallet', signer: { handle: 'alice' } },
    ]);
    const alice = await registered(founder, 'alice');
    const wallet = await stored(founder, 'wallet', { handle: 'w' });
    const mallory = newKey();
    const proof = proofOver(wallet.hash, mallory, {});
    const send = (body: object) => founder.call('POST', '/wallets/w/proofs', body);
    expect(outcome(await send({ ...proof, public: alice.public }))).toMatch(/^422 Invalid signature for key: /);
    expect(outcome(await send({ ...proof, signer: 'alice' }))).toBe('403 Cannot create wallet-proof.');
    // Lifted from another record, or said otherwise than signed.
    const other = await stored(founder, 'wallet', { handle: 'other', custom: {} });
    const lifted = proofOver(other.hash, alice, {});
    expect(outcome(await send(lifted))).toBe(`422 Invalid signature for key: ${alice.public}`);
    const altered = { ...proofOver(wallet.hash, alice, { status: 'active' }), custom: { status: 'inactive' } };
    expect(outcome(await send(altered))).toBe(`422 Invalid signature for key: ${alice.public}`);
    expect(outcome(await send(proofOver(wallet.hash, alice, {})))).toBe('200');
  });

  it('one good proof does not carry a bad one', async () => {
    const founder = await founded(server.current.url, [
      GATE,
      { action: 'create', record: 'wallet', signer: { handle: 'alice' } },
    ]);
    const alice = await registered(founder, 'alice');
    const mallory = newKey();
    const sent = async (...keys: [TestKey, string][]) => {
      const { hash, data, meta } = signed({ handle: 'w' }, mallory);
      const proofs = keys.map(([key, as]) => ({ ...proofOver(hash, key, {}), public: as }));
      return outcome(await founder.call('POST', '/wallets', { hash, data, meta: { ...meta, proofs } }));
    };
    expect(await sent([mallory, mallory.public], [mallory, alice.public])).toMatch(/^422 Invalid signature/);
    expect(await sent([mallory, mallory.public])).toBe('403 Cannot create wallet.');
    expect(await sent([mallory, mallory.public], [alice, alice.public])).toBe('201');
  });
});
