import { beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, proofOver, signed, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const DETAIL = 'Proof does not name the ledger: sign custom.ledger, which config["proof.ledgerRequired"] asks for';

const server = withServer();

describe('a ledger that asks proofs to name it', () => {
  let client: TestClient;
  const named = () => ({ ledger: client.ledger! });

  beforeAll(async () => {
    client = await newLedger(server.current.url, { config: { 'proof.ledgerRequired': true } });
  });

  it('takes no create, update, proof or drop of a client without its name, in whatever ledger that was signed', async () => {
    const refused = (answer: Parameters<typeof expectRefusal>[0]) =>
      expectRefusal(answer, client, 'record.invalid', DETAIL);
    const elsewhere = signed({ handle: 'w' }, client.key, {});
    ok(await (await newLedger(server.current.url)).call('POST', '/wallets', elsewhere));
    refused(await client.call('POST', '/wallets', elsewhere));
    const record = ok(await client.create('/wallets', { handle: 'w' }, named())).body;
    const data = { handle: 'w', parent: record.hash };
    refused(await client.call('PUT', '/wallets/w', signed(data, client.key, {}, { luid: record.luid })));
    refused(await client.call('POST', '/wallets/w/proofs', proofOver(record.hash, client.key, { status: 'active' })));
    const drop = { parent: record.hash };
    refused(await client.call('DELETE', '/wallets/w', signed(drop, client.key, {}, { luid: record.luid })));
    refused(await client.call('POST', '/wallets/w/access/!check', signed({ action: 'read' }, client.key, {})));
    // One of several is enough to let it through elsewhere, where its key has rights.
    const { hash, meta } = signed({ handle: 'v' }, client.key, named());
    const beside = { hash, data: { handle: 'v' }, meta: { proofs: [...meta.proofs, proofOver(hash, newKey(), {})] } };
    refused(await client.call('POST', '/wallets', beside));
    expect(ok(await client.get('/wallets/w/changes')).body.page.total).toBe(1);
  });

  it('takes those that name it by handle or luid, and what is left to a token', async () => {
    const { luid } = ok(await client.get('/ledger')).body;
    const record = ok(await client.create('/wallets', { handle: 'a' }, { ledger: luid })).body;
    const proof = proofOver(record.hash, client.key, { status: 'active', ...named() });
    expect(ok(await client.call('POST', '/wallets/a/proofs', proof)).body.meta.status).toBe('active');
    const { public: key } = client.key;
    ok(await client.create('/signers', { handle: 'ada', public: key, format: 'ed25519-raw' }, named()));
    const left = { data: { handle: 'b' }, meta: { proofs: [{ custom: { status: 'created' } }] } };
    ok(await client.call('POST', '/wallets', left, bearer(client.key)));
  });

  it('is no other ledger: proofs without a name are taken where it is off, as the public client signs', async () => {
    for (const config of [{}, { 'proof.ledgerRequired': false }]) {
      const other = await newLedger(server.current.url, { config });
      await stored(other, 'wallet', { handle: 'w' });
    }
  });
});
