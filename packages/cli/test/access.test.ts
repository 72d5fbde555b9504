import { beforeAll, describe, expect, it } from 'vitest';
import { withServer } from '../../server/test/support/server.js';
import { identityOfClient } from '../src/wire/identity.js';
import { Cli, withFolder } from './support/cli.js';
import { startProxy } from './support/proxy.js';

const running = withServer();
const folder = withFolder();
let cli: Cli;
const keys: Record<string, string> = {};

beforeAll(async () => {
  cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
  await cli.done(['init', 'acme', '--signer', 'owner', '--server', running.current.url]);
  keys.ben = (await cli.done(['key', 'create', 'ben'])).out.trim();
  const registered = await cli.done(['signer', 'register', 'ben', '--json']);
  expect(registered.json.meta.owners).toContain(keys.ben);
  await cli.done(['wallet', 'create', 'shop']);
});

/** Adds rules to those of the owner. */
async function allow(...rules: object[]) {
  const { json } = await cli.done(['ledger', 'show', '--json']);
  const own = json.data.access.slice(0, 2);
  await cli.done(['ledger', 'update', '--access', JSON.stringify([...own, ...rules])]);
}

async function explain(record: string, action: string, ...more: string[]) {
  const args = ['access', 'explain', record, action, '--json', ...more];
  const { granted, why, rules, near } = (await cli.done(args)).json;
  return { granted, why, rules, remarks: near.map(({ remark }: { remark: string }) => remark) };
}

const asBen = ['--as', 'ben'];

describe('why an action is granted or refused', () => {
  it('tells the owner which rules grant it', async () => {
    const found = await explain('wallet/shop', 'update');
    expect(found).toMatchObject({ granted: true, rules: [{ action: 'any', record: 'any' }], remarks: [] });
    expect((await explain('wallet/shop', 'read')).granted).toBe(true);
    const { out } = await cli.done(['access', 'explain', 'wallet/shop', 'update']);
    expect(out).toMatch(
      /^Granted: update on wallet\. .*\n {2}rule that grants it: \{"action":"any","record":"any"\}\n$/,
    );
  });

  it('tells that the gate is closed', async () => {
    await allow({ action: 'update', record: 'wallet', signer: { public: keys.ben } });
    const found = await explain('wallet/shop', 'update', ...asBen);
    expect(found.granted).toBe(false);
    expect(found.why).toMatch(/^The gate is closed/);
    expect((await cli.call(['wallet', 'update', 'shop', '--custom', '{}', '--signer', 'ben'])).code).toBe(1);
  });

  it('tells that a rule without record grants nothing below the ledger', async () => {
    const ben = { signer: { public: keys.ben } };
    await allow({ action: 'access', ...ben }, { action: 'create', ...ben });
    const found = await explain('ledger', 'create', '--record-name', 'wallet', ...asBen);
    expect(found.granted).toBe(false);
    expect(found.remarks).toContainEqual(
      expect.stringMatching(/^It has no `record`.*Add "record": "wallet" or "any"\.$/),
    );
    expect((await cli.call(['wallet', 'create', 'bens', '--signer', 'ben'])).code).toBe(1);
    await allow({ action: 'access', ...ben }, { action: 'create', record: 'wallet', ...ben });
    expect((await explain('ledger', 'create', '--record-name', 'wallet', ...asBen)).granted).toBe(true);
    expect((await cli.call(['wallet', 'create', 'bens', '--signer', 'ben'])).code).toBe(0);
  });

  it('tells that a read needs a bearer rule', async () => {
    await allow({ action: 'any', record: 'any', signer: { public: keys.ben } });
    const found = await explain('wallet/shop', 'read', ...asBen);
    expect(found.granted).toBe(false);
    expect(found.why).toContain('a read carries a token only');
    expect(found.remarks).toContainEqual(expect.stringContaining('add a rule with "bearer"'));
    await allow({ action: 'any', record: 'any', bearer: { $signer: { public: keys.ben } } });
    expect((await explain('wallet/shop', 'read', ...asBen)).granted).toBe(true);
  });

  it('tells of circles, other keys, and other actions', async () => {
    await cli.done(['circle', 'create', 'tellers']);
    const ben = { public: keys.ben };
    await allow(
      { action: 'access', record: 'any', signer: ben },
      { action: 'update', record: 'wallet', signer: { $circle: 'tellers' } },
      { action: 'drop', record: 'wallet', signer: ben },
    );
    const found = await explain('wallet/shop', 'update', ...asBen);
    expect(found.granted).toBe(false);
    expect(found.remarks).toEqual(
      expect.arrayContaining([
        'It is for another key.',
        expect.stringContaining('It is for members of "tellers"'),
        'It grants "drop", not update.',
      ]),
    );
    await cli.done(['circle', 'add', 'tellers', 'ben']);
    expect((await explain('wallet/shop', 'update', ...asBen)).granted).toBe(true);
  });

  it('refuses what is no record', async () => {
    for (const record of ['walet/shop', 'wallet', 'wallet/']) {
      expect((await cli.call(['access', 'explain', record, 'read'])).code).toBe(2);
    }
    expect((await cli.call(['access', 'explain', 'wallet/none', 'read'])).code).toBe(1);
  });
});

describe('client credentials', () => {
  let credentials: { id: string; secret: string };

  it('are set up in one step, with what the ledger needs', async () => {
    await allow({ action: 'any', record: 'any', bearer: { $signer: { handle: 'ben' } } });
    const made = await cli.done(['oauth', 'setup', 'ben', '--json']);
    credentials = { id: made.json.clientId, secret: made.json.clientSecret };
    expect(credentials.secret).toMatch(/^[\w-]{43}$/);
    const again = await cli.done(['oauth', 'setup', 'ben', '--factor', 'ben-2']);
    expect(again.out).toMatch(/^export COUNTERSIGN_CLIENT_ID=.*\nexport COUNTERSIGN_CLIENT_SECRET=.*\n$/);
    expect((await cli.done(['policy', 'list', '--filter', 'data.schema=authentication', '--json'])).json).toHaveLength(
      1,
    );
    expect((await cli.call(['oauth', 'setup', 'ghost'])).code).toBe(1);
  });

  it('give a token', async () => {
    const env = { COUNTERSIGN_CLIENT_ID: credentials.id, COUNTERSIGN_CLIENT_SECRET: credentials.secret };
    const { out } = await cli.done(['oauth', 'token'], { env });
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const headers = { 'x-ledger': 'acme', authorization: `Bearer ${out.trim()}` };
    expect((await fetch(`${running.current.url}/wallets/shop`, { headers })).status).toBe(200);
    const wrong = await cli.call(['oauth', 'token', '--client-secret', 'wrong'], { env });
    expect([wrong.code, wrong.err.split('\n')[1]]).toEqual([1, '  Reason: invalid_client']);
  });

  it('let the proxy read and write without a key', async () => {
    const url = running.current.url;
    const client = identityOfClient(new URL(url), credentials, Date.now);
    const proxy = await startProxy(
      url,
      { public: '', secret: new Uint8Array(32) },
      { identity: client, ledger: 'acme' },
    );
    const send = (method: string, path: string, body?: object) =>
      fetch(proxy.url + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const made = await send('POST', '/wallets', { data: { handle: 'by-token' } });
    expect(made.status, await made.clone().text()).toBe(201);
    const record = (await made.json()) as { meta: { proofs: { origin: string; signer: string; custom: object }[] } };
    expect(record.meta.proofs[0]).toMatchObject({ origin: 'oauth2-token', signer: 'ben' });
    expect((await send('GET', '/wallets/by-token')).status).toBe(200);
    const proof = await send('POST', '/wallets/by-token/proofs', { status: 'active' });
    expect(proof.status, await proof.clone().text()).toBe(200);
    expect((await send('PUT', '/wallets/by-token', { data: { handle: 'by-token' } })).status).toBe(200);
    expect((await send('DELETE', '/wallets/by-token')).status).toBe(204);
    expect(proxy.log.join('\n')).not.toContain(credentials.secret);
    await proxy.stop();
    const wrong = identityOfClient(new URL(url), { ...credentials, secret: 'wrong' }, Date.now);
    const refused = await startProxy(
      url,
      { public: '', secret: new Uint8Array(32) },
      { identity: wrong, ledger: 'acme' },
    );
    const answer = await fetch(`${refused.url}/wallets/shop`);
    expect([answer.status, ((await answer.json()) as { data: { reason: string } }).data.reason]).toEqual([
      401,
      'auth.unauthorized',
    ]);
    await refused.stop();
  });
});
