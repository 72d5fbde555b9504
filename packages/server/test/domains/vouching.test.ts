import type { JsonObject } from '@countersign/protocol';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outcome } from '../access-http/support.js';
import { withBridge } from '../forward/bridge.js';
import { aspect, processing } from '../forward/scene.js';
import { ask, grant, provided, providerFactor, signer } from '../oauth/scene.js';
import { expectRefusal } from '../support/checks.js';
import { signed, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { bridgeData, createIn, type Divided, divided, signerData } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

/** Credentials that the ledger makes for a signer, seen by its founder. */
async function credentialsOf(founder: TestClient, handle: string): Promise<{ id: string; secret: string }> {
  const data = { handle: `oauth:${handle}`, signer: handle, schema: 'oauth-client-credentials' };
  const path = `/signers/${handle}/factors?include=meta.secret`;
  const { body } = ok(await founder.call('POST', path, signed(data, founder.key), bearer(founder.key)));
  return { id: body.data.clientId, secret: body.meta.secret.clientSecret };
}

const oauth = (handle: string, provider: string): JsonObject => ({
  handle,
  schema: 'authentication',
  record: 'any',
  values: [{ schema: 'oauth2', signer: { handle: provider } }],
});

describe('an authentication policy in a domain', () => {
  let scene: Divided;

  beforeAll(async () => {
    scene = await divided(server.current.url);
    const { founder, admin } = scene;
    for (const handle of ['prov@sales', 'app@sales', 'app', 'app@bank', 'prov']) await signer(founder, handle);
    ok(await createIn(founder, '/signers', 'eu@sales', signerData('app@eu@sales')));
    await providerFactor(founder, { handle: 'rsa@sales', signer: 'prov@sales' });
    ok(await admin.create('/policies', oauth('oauth@sales', 'prov@sales')));
    // Written by who administers the domain: it names a provider who is not of the domain.
    ok(await admin.create('/policies', oauth('stolen@sales', 'prov')));
    await providerFactor(founder, { handle: 'prov-rsa', signer: 'prov' });
  });

  const by = (sub: string | undefined, iss = 'prov@sales', kid = 'rsa@sales') =>
    provided(sub === undefined ? {} : { sub, iss }, { kid });

  it('makes tokens good that are about signers there, and no others', async () => {
    const { founder } = scene;
    const answerTo = async (token: Record<string, string>) => outcome(await founder.get('/ledger', token));
    for (const sub of ['app@sales', 'app@eu@sales']) expect(await answerTo(by(sub)), sub).toBe('200');
    for (const sub of ['boss', 'app', 'app@bank', 'system', 'nobody', 'not a handle']) {
      expect(await answerTo(by(sub)), sub).toBe('401 Invalid token.');
    }
    const nameless = provided({ sub: undefined as never, iss: 'prov@sales' }, { kid: 'rsa@sales' });
    expect(await answerTo(nameless)).toBe('401 Invalid token.');
    const body = { data: { handle: 'w' }, meta: { proofs: [{ custom: { status: 'created' } }] } };
    const forged = await founder.call('POST', '/wallets', body, by('boss'));
    expectRefusal(forged, founder, 'auth.unauthorized', 'Invalid token.');
    // The provider is no signer of the domain, whose policy is the only one that names it.
    for (const sub of ['app@sales', 'boss']) {
      expect(await answerTo(by(sub, 'prov', 'prov-rsa'))).toBe('401 Invalid token.');
    }
  });

  it('has tokens made for clients there only, with keys of providers there only', async () => {
    const { founder } = scene;
    const made = async (handle: string) => ask(founder, grant(await credentialsOf(founder, handle)));
    const answer = ok(await made('app@sales'));
    expect(outcome(await founder.get('/ledger', { authorization: `Bearer ${answer.body.access_token}` }))).toBe('200');
    for (const handle of ['app', 'app@bank', 'boss']) {
      const refused = await made(handle);
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    }
  });

  it('takes nothing from one of the ledger itself, which vouches for all', async () => {
    const { founder } = await divided(server.current.url);
    await signer(founder, 'prov');
    await signer(founder, 'app@sales');
    await providerFactor(founder, { handle: 'prov-rsa', signer: 'prov' });
    await stored(founder, 'policy', oauth('oauth', 'prov'));
    for (const sub of ['boss', 'app@sales', 'nobody']) {
      expect(outcome(await founder.get('/ledger', provided({ sub })))).toBe('200');
    }
    ok(await ask(founder, grant(await credentialsOf(founder, 'app@sales'))));
  });
});

describe('a bridge that a processing policy in a domain leads to', () => {
  it('is asked about anchors there only, and is not given the tokens of who asks', async () => {
    const { founder, admin } = await divided(server.current.url);
    for (const handle of ['till@sales', 'till']) await stored(founder, 'wallet', { handle });
    for (const handle of ['a@sales', 'a@bank', 'a']) {
      await stored(founder, 'anchor', { handle, wallet: 'till', target: 'x' });
    }
    const config = { server: bridge.url, 'token.forward': true };
    ok(await admin.create('/bridges', { ...bridgeData('spy@sales'), config }));
    const values = [aspect('read', 'proxy', { invoke: { bridge: 'spy@sales' } })];
    ok(await admin.create('/policies', processing('p@sales', values)));
    const token = bearer(founder.key);
    for (const handle of ['a@bank', 'a']) expect((await founder.get(`/anchors/${handle}`, token)).status).toBe(200);
    expect((await founder.get('/anchors', token)).body.data).toHaveLength(3);
    expect(bridge.received).toEqual([]);
    bridge.keep({ handle: 'a@sales', wallet: 'till', target: 'x' });
    expect((await founder.get('/anchors/a@sales', token)).status).toBe(200);
    expect(bridge.only.headers).not.toHaveProperty('x-forwarded-authorization');
    expect(JSON.stringify(bridge.only.headers)).not.toContain(token.authorization!.slice('Bearer '.length));
  });

  it('has no name that policies of the ledger wait for', async () => {
    const { founder, admin } = await divided(server.current.url);
    await stored(founder, 'policy', processing('p', [aspect('read', 'proxy', { invoke: { bridge: 'later' } })]));
    const data = bridgeData('later', bridge.url);
    const answer = await admin.create('/bridges', data, { status: 'created', domain: 'sales' });
    expect(outcome(answer)).toBe('403 Cannot create bridge.');
  });
});
