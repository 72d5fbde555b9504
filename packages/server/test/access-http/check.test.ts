import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { RULE_ACTIONS } from '../../src/access/rules.js';
import { recordNames } from '../../src/kinds/registry.js';
import { expectRules } from '../support/checks.js';
import { newKey, signed, type TestClient, type TestKey } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { activated, circleOf, founded, GATE, outcome, registered, underPolicies } from './support.js';

const server = withServer();

/** The rules that grant `data.action` to who signs the check. */
async function granted(client: TestClient, path: string, key: TestKey, data: JsonObject): Promise<JsonObject[]> {
  return expectRules(await client.call('POST', `${path}/access/!check`, signed(data, key, {})), client);
}

describe('an access check (interface/access#access-check)', () => {
  it('shows the rules of ledger, domains, and record, without whom they are for', async () => {
    const alice = newKey();
    const bearer = { $signer: { public: alice.public } };
    const signer = { public: alice.public };
    const rules = [GATE, { action: 'read', record: 'wallet', bearer }, { action: 'read', record: 'wallet', signer }];
    const founder = await founded(server.current.url, rules);
    await stored(founder, 'domain', { handle: 'a', access: [{ action: 'any', record: 'wallet', signer }] });
    await stored(founder, 'domain', { handle: 'b@a', access: [{ action: 'read', record: 'symbol', bearer }] });
    const access = [
      { action: { $in: ['read', 'drop'] }, bearer },
      { action: 'read', bearer: { $signer: { handle: 'x' } } },
    ];
    await founder.create('/wallets', { handle: 'w', access }, { domain: 'b@a' });
    expect(await granted(founder, '/wallets/w', alice, { action: 'read' })).toEqual([
      { action: 'read', record: 'wallet' },
      { action: 'any', record: 'wallet' },
      { action: { $in: ['read', 'drop'] }, record: 'wallet' },
    ]);
    expect(await granted(founder, '/wallets/w', newKey(), { action: 'read' })).toEqual([]);
    expect(await granted(founder, '/domains/a', alice, { action: 'create', record: 'wallet' })).toEqual([
      { action: 'any', record: 'wallet' },
    ]);
  });

  it('follows circles, and shows a reference as its granting values', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const alice = await registered(founder, 'alice');
    const [link] = await circleOf(founder, 'ops', 'alice');
    const value = { action: 'read', bearer: { $signer: { $circle: 'ops' } }, filter: { handle: 'w' } };
    await stored(founder, 'policy', {
      handle: 'p',
      schema: 'access',
      record: 'wallet',
      values: [{ action: 'drop' }, value],
    });
    await stored(founder, 'wallet', { handle: 'w', access: [{ policy: 'p' }] });
    const read = () => granted(founder, '/wallets/w', alice, { action: 'read' });
    expect(await read()).toEqual([{ action: 'read', filter: { handle: 'w' }, record: 'wallet' }]);
    await founder.drop('/circles/ops/signers/alice', link!);
    expect(await read()).toEqual([]);
  });

  it('under policies shows what active ones grant, conditions included', async () => {
    const founder = await underPolicies(server.current.url, []);
    const alice = await registered(founder, 'alice');
    await stored(founder, 'wallet', { handle: 'hers' });
    await stored(founder, 'wallet', { handle: 'w', access: [{ action: 'any' }] });
    const values = [
      { action: 'spend', record: 'wallet', signer: { handle: 'alice' }, filter: { handle: 'hers' } },
      { action: 'create', invoke: 'intent.canSpendEveryClaimWallet' },
      { action: 'read', record: 'intent', invoke: 'intent.canSpendEveryClaimWallet' },
    ];
    await activated(founder, { handle: 'p', record: 'intent', values });
    await activated(founder, { handle: 'gate', record: 'ledger', values: [{ action: 'access' }] });
    await stored(founder, 'policy', { handle: 'q', schema: 'access', record: 'any', values: [{ action: 'any' }] });
    const claim = (source: string) => ({
      action: 'transfer',
      source: { handle: source },
      target: { handle: 'w' },
      symbol: { handle: 'usd' },
      amount: 1,
    });
    await stored(founder, 'intent', { handle: 'i', claims: [claim('hers')] });
    await stored(founder, 'intent', { handle: 'j', claims: [claim('w')] });
    const shown = [{ action: 'read', invoke: 'intent.canSpendEveryClaimWallet', record: 'intent' }];
    expect(await granted(founder, '/intents/i', alice, { action: 'read' })).toEqual(shown);
    expect(await granted(founder, '/intents/j', alice, { action: 'read' })).toEqual([]);
    expect(await granted(founder, '/wallets/w', alice, { action: 'read' })).toEqual([]);
    expect(await granted(founder, '/wallets/hers', alice, { action: 'spend' })).toHaveLength(1);
  });

  it('is judged by the token when nothing is signed, and by nothing else', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const alice = await registered(founder, 'alice');
    const access = [{ action: 'read', bearer: { $signer: { handle: 'alice' } } }];
    await stored(founder, 'wallet', { handle: 'w', access });
    const check = (body: JsonObject, headers?: Record<string, string>) =>
      founder.call('POST', '/wallets/w/access/!check', body, headers);
    const unsigned = { data: { action: 'read' } };
    expect(expectRules(await check(unsigned, bearer(alice)), founder)).toEqual([{ action: 'read', record: 'wallet' }]);
    expect(outcome(await check(unsigned, { authorization: 'Bearer x' }))).toBe('401 Invalid token.');
    expect(outcome(await check(signedBody(unsigned)))).toBe('422 Ledger mutations must be signed.');
    expect(outcome(await founder.create('/wallets/ghost/access/!check', { action: 'read' }, {}))).toBe(
      '404 Wallet not found',
    );
  });

  it('knows the rights to the deliveries of an effect, to read and to send again', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const alice = newKey();
    const signer = { public: alice.public };
    const access = [
      { action: 'query-event', bearer: { $signer: signer } },
      { action: 'retry-event', signer },
    ];
    const data = { handle: 'e', signal: 'wallet-created', action: { bridge: 'b' }, access };
    expect((await stored(founder, 'effect', data)).data.access).toEqual(access);
    const granted = async (action: string, client: TestClient) =>
      expectRules(await client.create('/effects/e/access/!check', { action }, {}), founder);
    for (const action of ['query-event', 'retry-event']) {
      expect(await granted(action, founder.as(alice))).toEqual([{ action, record: 'effect' }]);
      expect(await granted(action, founder.as(newKey()))).toEqual([]);
    }
    expect(await granted('read', founder.as(alice))).toEqual([]);
  });

  it('takes the names rules have, and no others', async () => {
    const founder = await founded(server.current.url);
    await stored(founder, 'wallet', { handle: 'w' });
    const ask = (data: JsonObject) => founder.create('/wallets/w/access/!check', data, {});
    for (const action of RULE_ACTIONS) expect((await ask({ action })).status, action).toBe(200);
    for (const record of recordNames.records) expect((await ask({ action: 'read', record })).status, record).toBe(200);
    const wrong: JsonObject[] = [
      {},
      { action: 'fly' },
      { action: 'sign' },
      { action: 'sign-intent' },
      { action: 'query-events' },
      { action: ['read'] },
      { action: 'read', record: 'purse' },
    ];
    for (const data of wrong) {
      const answer = await ask(data);
      expect([answer.status, answer.body.data.reason], JSON.stringify(data)).toEqual([422, 'record.schema-invalid']);
    }
  });
});

/** As who has nothing to sign with sends it: whole, but for the proof. */
function signedBody({ data }: { data: JsonObject }) {
  const { hash } = signed(data, newKey(), {});
  return { hash, data, meta: { proofs: [] } };
}
