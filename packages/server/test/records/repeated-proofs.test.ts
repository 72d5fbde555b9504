import { describe, expect, it } from 'vitest';
import { founded, GATE, registered } from '../access-http/support.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

/** The proofs of a record are there for every reader to take. */
async function sentAgain(client: TestClient, path: string, index: number) {
  const { proofs } = (await client.get(path)).body.meta;
  const { method, public: key, digest, result, custom } = proofs[index];
  return client.call('POST', `${path}/proofs`, { method, public: key, digest, result, custom });
}

describe('a proof that the record has already (interface/records#sending-a-request-again)', () => {
  it('changes nothing when a stranger sends it again: who was blocked stays so', async () => {
    const client = await newLedger(server.current.url);
    const { public: key } = newKey();
    const signer = await stored(client, 'signer', { handle: 'alice', public: key, format: 'ed25519-raw' });
    ok(await client.prove('/signers/alice', signer, { status: 'active', labels: { $push: 'trusted' } }));
    const blocked = ok(await client.prove('/signers/alice', signer, { status: 'blocked', labels: [] }));
    const stranger = client.as(newKey());
    const answer = await sentAgain(stranger, '/signers/alice', 2);
    expect([answer.status, answer.text]).toEqual([200, blocked.text]);
    expect((await client.get('/signers/alice')).text).toBe(blocked.text);
    expect((await client.get('/signers/alice/changes')).body.page.total).toBe(3);
  });

  it('is the same in whatever case its digest is written', async () => {
    const client = await newLedger(server.current.url);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const proved = ok(await client.prove('/wallets/w', wallet, { note: 'seen' }));
    const { method, public: key, digest, result, custom } = proved.body.meta.proofs[2];
    const again = { method, public: key, digest: digest.toUpperCase(), result, custom };
    const answer = await client.call('POST', '/wallets/w/proofs', again);
    expect([answer.status, answer.text]).toEqual([200, proved.text]);
  });

  it("is no client's when it is the ledger's own", async () => {
    const client = await newLedger(server.current.url);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const answer = await sentAgain(client, '/wallets/w', 1);
    expectRefusal(answer, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
    expect((await client.get('/wallets/w')).body).toEqual(wallet);
  });

  it("speaks for nobody when it is the ledger's own, also beside a token: not even to see the record", async () => {
    const founder = await founded(server.current.url, [GATE]);
    const access = [{ action: 'any', signer: { handle: 'system' } }];
    await stored(founder, 'wallet', { handle: 'w', access });
    const { body: wallet } = await founder.get('/wallets/w', bearer(founder.key));
    const [, { method, public: system, digest, result, custom }] = wallet.meta.proofs;
    const own = { method, public: system, digest, result, custom };
    const mallory = founder.as(await registered(founder, 'mallory'));
    const answer = await mallory.call('POST', '/wallets/w/proofs', own, bearer(mallory.key));
    expectRefusal(answer, founder, 'auth.forbidden', 'Cannot create wallet-proof.');
    expect((await founder.get('/wallets/w', bearer(founder.key))).body).toEqual(wallet);
  });

  it('is no proof of the next version', async () => {
    const client = await newLedger(server.current.url);
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    ok(await client.update('/wallets/w', wallet, { handle: 'w', custom: {} }));
    const [{ method, public: key, digest, result, custom }] = wallet.meta.proofs as unknown as [
      Record<string, unknown>,
    ];
    const answer = await client.call('POST', '/wallets/w/proofs', { method, public: key, digest, result, custom });
    expectRefusal(answer, client, 'crypto.signature-invalid', `Invalid signature for key: ${key}`);
  });
});
