import type { JsonObject } from '@countersign/protocol';
import { afterAll, beforeAll, describe, it } from 'vitest';
import {
  activated,
  circleOf,
  everythingFor,
  founded,
  GATE,
  registered,
  underPolicies,
} from '../access-http/support.js';
import { newKey, newLedger, proofOver, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { bearer } from '../support/token.js';
import { atSecond, EFFORTS, expectRefused, Intruder } from './altered-rows.js';

/** The first one makes everything; the second has not seen anything when something was altered. */
const servers = withTwoServers();

let intruder: Intruder;
beforeAll(async () => {
  intruder = await Intruder.at(servers.databaseUrl);
});
afterAll(() => intruder.leave());

const url = () => servers.current[0].url;

const atOther = (client: TestClient) => atSecond(servers.current, client);

describe('what access is decided by', () => {
  /** Another who has no rights, and what is tried on the server that has not seen the ledger yet. */
  const mallory = newKey();
  const creates = (founder: TestClient) => atOther(founder).as(mallory).create('/wallets', { handle: 'taken' });
  const reads = (founder: TestClient) => atOther(founder).get('/wallets/w', bearer(mallory));

  const expectClosed = async (founder: TestClient) => {
    await stored(founder, 'wallet', { handle: 'w' });
    for (const attempt of [creates, reads]) expectRefused(await attempt(founder));
  };

  const ANYTHING = [{ action: 'any', record: 'any' }];

  it.each(EFFORTS)('is not the ledger, once altered (%s)', async (effort) => {
    const founder = await founded(url(), [GATE]);
    const { luid } = ok(await founder.get('/ledger', bearer(founder.key))).body;
    await stored(founder, 'wallet', { handle: 'v' });
    await intruder.alter(luid, (data) => ({ ...data, access: ANYTHING }), effort);
    await expectClosed(founder);
  });

  it.each(EFFORTS)('is not a policy, once altered (%s)', async (effort) => {
    const founder = await underPolicies(url(), [{ handle: 'p', record: 'wallet', values: [{ action: 'query' }] }]);
    const { luid } = ok(await founder.get('/policies/p', bearer(founder.key))).body;
    await intruder.alter(luid, (data) => ({ ...data, record: 'any', values: ANYTHING }), effort, 2);
    await expectClosed(founder);
  });

  it.each(EFFORTS)('is not a signer, once altered (%s)', async (effort) => {
    const founder = await founded(url(), [
      { action: 'any', signer: { handle: 'boss' } },
      { action: 'any', bearer: { $signer: { handle: 'boss' } } },
    ]);
    await registered(founder, 'boss');
    const { luid } = ok(await founder.get('/signers/boss', bearer(founder.key))).body;
    await intruder.alter(luid, (data) => ({ ...data, public: mallory.public }), effort);
    await intruder.run('update record set link = $2 where luid = $1', luid, mallory.public);
    await expectClosed(founder);
  });

  it('is not the key under which the index has another signer', async () => {
    const founder = await founded(url(), [{ action: 'any', signer: { handle: 'boss' } }]);
    await registered(founder, 'boss');
    const { luid } = ok(await founder.get('/signers/boss', bearer(founder.key))).body;
    await intruder.run('update record set link = $2 where luid = $1', luid, mallory.public);
    await expectClosed(founder);
  });

  it.each(EFFORTS)('is not a factor, once altered (%s)', async (effort) => {
    const founder = await founded(url(), [{ action: 'any', signer: { handle: 'boss' } }]);
    await registered(founder, 'boss');
    const factor = await stored(founder, 'signer-factor', {
      handle: 'f',
      signer: 'boss',
      schema: 'key-pair',
      format: 'ed25519-raw',
      public: newKey().public,
    });
    await intruder.alter(factor.luid, (data) => ({ ...data, public: mallory.public }), effort);
    await intruder.run('update record set link = $2 where luid = $1', factor.luid, mallory.public);
    expectRefused(await creates(founder));
  });

  const inCircle = async () => {
    const founder = await founded(url(), [
      { action: 'any', signer: { $circle: 'ops' } },
      { action: 'any', bearer: { $signer: { $circle: 'ops' } } },
    ]);
    await registered(founder, 'boss');
    await stored(founder, 'signer', { handle: 'mallory', public: mallory.public, format: 'ed25519-raw' });
    const [membership] = await circleOf(founder, 'ops', 'boss');
    await stored(founder, 'wallet', { handle: 'w' });
    return { founder, membership: membership! };
  };

  it.each(EFFORTS)('is not a membership, once altered (%s)', async (effort) => {
    const { founder, membership } = await inCircle();
    await intruder.alter(membership.luid, (data) => ({ ...data, signer: 'mallory' }), effort);
    await intruder.run(`update record set link = 'mallory', handle = 'ops/mallory' where luid = $1`, membership.luid);
    expectRefused(await creates(founder));
    expectRefused(await reads(founder));
  });

  it('is not a membership that only the index knows of', async () => {
    const { founder, membership } = await inCircle();
    await intruder.run(`update record set link = 'mallory', handle = 'ops/mallory' where luid = $1`, membership.luid);
    expectRefused(await creates(founder));
    expectRefused(await reads(founder));
  });

  it('is not the record itself, once altered', async () => {
    const founder = await founded(url(), [GATE]);
    const wallet = await stored(founder, 'wallet', { handle: 'w' });
    await intruder.alter(wallet.luid, (data) => ({ ...data, access: ANYTHING }));
    expectRefused(await atOther(founder).get('/wallets/w', bearer(mallory)));
    const proof = proofOver(wallet.hash, mallory, { status: 'closed' });
    expectRefused(await atOther(founder).call('POST', '/wallets/w/proofs', proof));
  });

  it('is not a schema that the index says is another', async () => {
    const [lax, strict] = [await newLedger(url()), await newLedger(url())];
    const content = (handle: string, schema: JsonObject) => ({
      handle,
      record: 'wallet',
      format: 'json-schema',
      schema,
    });
    const any = await stored(lax, 'schema', content('s', { type: 'object' }));
    const none = await stored(strict, 'schema', content('s', { type: 'object', required: ['nothing'] }));
    const wallet = { handle: 'w', schema: 's' };
    ok(await atOther(lax).create('/wallets', wallet));
    await intruder.run('update record set hash = $2 where luid = $1', none.luid, any.hash);
    expectRefused(await atOther(strict).create('/wallets', wallet));
  });

  it('is not a schema that the index says is in another domain', async () => {
    const client = await newLedger(url());
    await stored(client, 'domain', { handle: 'd' });
    const schema = { handle: 's', record: 'wallet', format: 'json-schema', schema: { type: 'object' } };
    const { luid } = ok(await client.create('/schemas', schema, { status: 'created', domain: 'd' })).body;
    await intruder.run('update record set domain = null where luid = $1', luid);
    expectRefused(await atOther(client).create('/wallets', { handle: 'w', schema: 's' }));
  });

  it('is not a policy that was activated by hand', async () => {
    const founder = await underPolicies(url(), []);
    const everything = { schema: 'access', record: 'any', values: ANYTHING };
    const policy = await stored(founder, 'policy', { handle: 'p', ...everything });
    await activated(founder, { handle: 'q', ...everything, values: everythingFor(founder.key) });
    await intruder.alterText(policy.luid, 1, (text) => text.replaceAll('"status":"created"', '"status":"active"'));
    expectRefused(await creates(founder));
  });
});
