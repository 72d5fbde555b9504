import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { provided, providerFactor, policy as providers, signer } from '../oauth/scene.js';
import { expectRefusal } from '../support/checks.js';
import { newKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { founded, GATE } from './support.js';

const server = withServer();

const HINT =
  'is met by nobody: in "bearer", claims other than "$signer" and "hsh" count in tokens of providers only, and no ' +
  'authentication policy names one.';

describe('a bearer rule on claims', () => {
  it.each([
    ['a value', { role: 'auditor' }],
    ['the names of issuer and subject', { iss: 'idp', sub: 'auditor' }],
    ['what must not be there', { role: { $ne: 'guest' } }],
    ['one of several', { $in: [{ role: 'auditor' }, { sub: 'auditor' }] }],
    ['a claim beside any signer', { $signer: {}, role: 'auditor' }],
  ])('is not met by a token that its bearer has signed: %s', async (_, matcher) => {
    const rules = [GATE, { action: 'read', record: 'wallet', bearer: matcher as JsonObject }];
    const founder = await founded(server.current.url, rules);
    await stored(founder, 'wallet', { handle: 'w' });
    const claims = { iss: 'idp', sub: 'auditor', role: 'auditor' };
    for (const key of [newKey(), founder.key]) {
      const answer = await founder.get('/wallets/w', bearer(key, claims));
      if (key !== founder.key) expectRefusal(answer, founder, 'auth.forbidden', 'Cannot read wallet.');
    }
  });

  it('is met by the token of a provider that the ledger knows', async () => {
    const rules = [GATE, { action: 'read', record: 'wallet', bearer: { iss: 'prov', role: 'auditor' } }];
    const founder = await founded(server.current.url, rules);
    await stored(founder, 'wallet', { handle: 'w' });
    await signer(founder, 'prov');
    await providerFactor(founder, { handle: 'prov-rsa', signer: 'prov' });
    const token = provided({ iss: 'prov', sub: 'nobody', role: 'auditor' });
    expect((await founder.get('/wallets/w', token)).status).toBe(401);
    await providers(founder);
    ok(await founder.get('/wallets/w', token));
    expect((await founder.get('/wallets/w', provided({ iss: 'prov', sub: 'nobody', role: 'guest' }))).status).toBe(403);
  });

  it('leaves what says nothing of claims as it was: any token, one that is bound, one of a signer', async () => {
    const key = newKey();
    for (const matcher of [{}, { $signer: {} }, { $signer: { public: key.public } }, { $in: [{ hsh: false }] }]) {
      const rules = [GATE, { action: 'read', record: 'wallet', bearer: matcher as JsonObject }];
      const founder = await founded(server.current.url, rules);
      await stored(founder, 'wallet', { handle: 'w' });
      ok(await founder.get('/wallets/w', bearer(key)));
    }
  });
});

describe('what is stored with a rule that nobody can meet', () => {
  it('is answered with a hint, while no provider is known', async () => {
    const dead = { action: 'read', bearer: { role: 'auditor' } };
    const founder = await founded(server.current.url, [GATE]);
    const hintOf = ({ headers, status }: { headers: Headers; status: number }) => {
      expect(status).toBeLessThan(300);
      return headers.get('x-hint');
    };
    const lives = [{ action: 'read', bearer: { $signer: {} } }, { action: 'read' }, { policy: 'p' }];
    await stored(founder, 'policy', { handle: 'p', schema: 'access', record: 'wallet', values: [{ action: 'read' }] });
    expect(hintOf(await founder.create('/wallets', { handle: 'a', access: lives }))).toBeNull();
    const created = await founder.create('/wallets', { handle: 'b', access: [...lives, dead] });
    expect(hintOf(created)).toBe(`access[3] ${HINT}`);
    expect(created.headers.get('access-control-expose-headers')).toBe('x-request-id, x-hint');
    expect(hintOf(await founder.update('/wallets/b', created.body, { handle: 'b', access: [dead] }))).toBe(
      `access[0] ${HINT}`,
    );
    const values = [{ action: 'read', bearer: { $in: [{ sub: 'x' }, { hsh: true, iss: 'y' }] } }];
    const policy = { schema: 'access', record: 'wallet', values };
    expect(hintOf(await founder.create('/policies', { handle: 'q', ...policy }))).toBe(`values[0] ${HINT}`);
    const ledger = ok(await founder.get('/ledger')).body;
    const access = [...ledger.data.access, { ...dead, record: 'any' }];
    expect(hintOf(await founder.update('/ledger', ledger, { ...ledger.data, access }))).toContain(HINT);
    await signer(founder, 'prov');
    await providers(founder);
    expect(hintOf(await founder.create('/wallets', { handle: 'c', access: [dead] }))).toBeNull();
  });
});
