import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { outcome } from '../access-http/support.js';
import { divided } from '../domains/scene.js';
import { policy, provided, providerFactor, signer } from '../oauth/scene.js';
import { newKey, signed } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

/** Adds a proof that nobody signed. */
function withUnsigned(body: JsonObject, custom: JsonObject): JsonObject {
  const { meta } = body as { meta: { proofs: JsonObject[] } };
  return { ...body, meta: { proofs: [...meta.proofs, { custom }] } };
}

describe('a proof that nobody signed, beside one that somebody did', () => {
  it('adds nothing to what was signed', async () => {
    const { founder } = await divided(server.current.url);
    const detail = '422 Ledger mutations must be signed.';
    const said = { domain: 'sales', labels: ['x'] };
    const create = withUnsigned(signed({ handle: 'w' }, founder.key), said);
    expect(outcome(await founder.call('POST', '/wallets', create))).toBe(detail);
    // The token of a key that is nobody's stands for nobody who could have said so.
    expect(outcome(await founder.call('POST', '/wallets', create, bearer(newKey())))).toBe(detail);
    await signer(founder, 'prov');
    await providerFactor(founder);
    await policy(founder);
    expect(outcome(await founder.call('POST', '/wallets', create, provided({ sub: 'nobody' })))).toBe(detail);
    const made = ok(await founder.create('/wallets', { handle: 'w' })).body;
    const update = signed({ handle: 'w', custom: { a: 1 }, parent: made.hash }, founder.key, {});
    expect(outcome(await founder.call('PUT', '/wallets/w', withUnsigned(update, said)))).toBe(detail);
    const drop = signed({ parent: made.hash }, founder.key, { status: 'dropped' }, { luid: made.luid });
    expect(outcome(await founder.call('DELETE', '/wallets/w', withUnsigned(drop, { reason: 'x' })))).toBe(detail);
    // A signer may leave the second proof to a token.
    await stored(founder, 'signer', { handle: 'f', public: founder.key.public, format: 'ed25519-raw' });
    const { body } = ok(
      await founder.call(
        'POST',
        '/wallets',
        withUnsigned(signed({ handle: 'v' }, founder.key), said),
        bearer(founder.key),
      ),
    );
    expect([body.meta.domain, body.meta.labels]).toEqual(['sales', ['x']]);
  });
});
