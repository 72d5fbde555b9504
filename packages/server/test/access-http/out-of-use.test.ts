import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { newKey, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { circleOf, founded, GATE, outcome, registered, statusSet } from './support.js';

const server = withServer();

describe.each(['inactive', 'blocked'])('a signer whose status is %s', (status) => {
  /** A ledger whose rules name signers by handle and circle, and one such signer. */
  async function scene() {
    const founder = await founded(server.current.url, [
      GATE,
      { action: 'create', record: 'wallet', signer: { handle: 'alice' } },
      { action: 'create', record: 'symbol', signer: { $circle: 'ops' } },
      { action: 'create', record: 'circle', signer: { public: alicesKey.public } },
      { action: 'read', record: 'wallet', bearer: { $signer: { handle: 'alice' } } },
    ]);
    await stored(founder, 'signer', { handle: 'alice', public: alicesKey.public, format: 'ed25519-raw' });
    await circleOf(founder, 'ops', 'alice');
    return { founder, alice: founder.as(alicesKey) };
  }
  const alicesKey: TestKey = newKey();

  it('stands for nobody: neither its handle nor its circles grant, by proof or token, until it is back', async () => {
    const { founder, alice } = await scene();
    const asAlice = async (name: string) => [
      outcome(await alice.create('/wallets', { handle: `w-${name}` })),
      outcome(await alice.create('/symbols', { handle: `s-${name}`, factor: 1 })),
      outcome(await alice.get('/wallets/w-first', bearer(alicesKey))),
    ];
    expect(await asAlice('first')).toEqual(['201', '201', '200']);
    const signer: RecordEnvelope = ok(await founder.get('/signers/alice', bearer(founder.key))).body;
    await statusSet(founder, '/signers/alice', signer, status);
    expect(await asAlice('second')).toEqual([
      '403 Cannot create wallet.',
      '403 Cannot create symbol.',
      '403 Cannot read wallet.',
    ]);
    await statusSet(founder, '/signers/alice', signer, 'active');
    expect(await asAlice('third')).toEqual(['201', '201', '200']);
  });

  it('is not impersonated by its tokens, also where they name it by its handle', async () => {
    const { founder, alice } = await scene();
    const signer: RecordEnvelope = ok(await founder.get('/signers/alice', bearer(founder.key))).body;
    await statusSet(founder, '/signers/alice', signer, status);
    const unsigned = { data: { handle: 'w' }, meta: { proofs: [{ custom: { status: 'created' } }] } };
    const answer = await alice.call('POST', '/wallets', unsigned, bearer(alicesKey));
    expect(outcome(answer)).toBe('422 Ledger mutations must be signed.');
  });

  it('has no token that names it by its handle, whatever everyone may do', async () => {
    const founder = await founded(server.current.url, [GATE, { action: 'read', record: 'any' }]);
    const key = await registered(founder, 'alice');
    const named = () => founder.get('/signers/alice', bearer({ ...key, public: 'alice' }));
    const signer: RecordEnvelope = ok(await named()).body;
    await statusSet(founder, '/signers/alice', signer, status);
    expect(outcome(await named())).toBe('401 Invalid token.');
    // Who has no token, or one of the key's own, may read still.
    expect(outcome(await founder.get('/signers/alice'))).toBe('200');
    expect(outcome(await founder.get('/signers/alice', bearer(key)))).toBe('200');
    await statusSet(founder, '/signers/alice', signer, 'active');
    expect(outcome(await named())).toBe('200');
  });

  it('leaves its key what rules grant the key itself', async () => {
    const { founder, alice } = await scene();
    const signer: RecordEnvelope = ok(await founder.get('/signers/alice', bearer(founder.key))).body;
    await statusSet(founder, '/signers/alice', signer, status);
    const circle = ok(await alice.create('/circles', { handle: 'c' })).body;
    // Whose key it is stays a fact.
    expect(circle.meta.proofs[0].signer).toBe('alice');
  });

  it('completes no quorum', async () => {
    const { founder } = await scene();
    const bob = await registered(founder, 'bob');
    const values = [{ quorum: [{ handle: 'bob' }] }];
    await stored(founder, 'policy', { handle: 'wallets', schema: 'status', record: 'wallet', values });
    const wallet = await stored(founder, 'wallet', { handle: 'w', access: [{ action: 'any' }] });
    const signer: RecordEnvelope = ok(await founder.get('/signers/bob', bearer(founder.key))).body;
    await statusSet(founder, '/signers/bob', signer, status);
    const answer = ok(await founder.as(bob).prove('/wallets/w', wallet, { status: 'active' }));
    expect(answer.body.meta.status).toBe('created');
  });
});
