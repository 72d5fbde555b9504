import { beforeAll, describe, expect, it } from 'vitest';
import { withOwnServer } from '../../server/test/support/server.js';
import { identityOfClient } from '../src/wire/identity.js';
import { Cli, withFolder } from './support/cli.js';
import { startProxy } from './support/proxy.js';

const running = withOwnServer();
const folder = withFolder();
let cli: Cli;
const keys: Record<string, string> = {};

beforeAll(async () => {
  cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
  await cli.done(['init', 'acme', '--signer', 'owner', '--server', running.current.url]);
  keys.owner = (await cli.done(['key', 'export', 'owner', '--public'])).out.trim();
  keys.ben = (await cli.done(['key', 'create', 'ben'])).out.trim();
  const registered = await cli.done(['signer', 'register', 'ben', '--json']);
  expect(registered.json.meta.owners).toContain(keys.ben);
  await cli.done(['wallet', 'create', 'shop']);
});

describe('a ledger that `init` made', () => {
  it('takes tokens that name it or the server, and no others', async () => {
    const { data, luid } = (await cli.done(['ledger', 'show', '--json'])).json;
    expect(data.config).toEqual({
      'token.audiences': ['acme', running.current.url, luid],
      'proof.ledgerRequired': true,
    });
    for (const named of ['acme', luid]) {
      expect((await cli.done(['wallet', 'show', 'shop', '--ledger', named, '--json'])).json.data.handle).toBe('shop');
    }
  });
});

describe('what a stored record does not do as it is', () => {
  it('is told after the write, beside the result', async () => {
    const dead = JSON.stringify([{ action: 'read', bearer: { role: 'auditor' } }]);
    const warning = /^Beware: access\[0\] is met by nobody: /m;
    const made = await cli.done(['wallet', 'create', 'dead', '--access', dead, '--json']);
    expect([made.json.data.handle, made.err]).toEqual(['dead', expect.stringMatching(warning)]);
    expect((await cli.done(['wallet', 'update', 'dead', '--custom', '{}'])).err).toMatch(warning);
    const body = `{"data": {"handle": "dead-2", "access": ${dead}}}`;
    expect((await cli.done(['curl', 'POST', '/wallets', '-d', body])).err).toMatch(warning);
    expect((await cli.done(['wallet', 'create', 'alive'])).err).not.toContain('Beware');
  });
});

/** Adds rules to those of the owner. */
async function allow(...rules: object[]) {
  const own = [
    { action: 'any', record: 'any', signer: { public: keys.owner } },
    { action: 'any', record: 'any', bearer: { $signer: { public: keys.owner } } },
  ];
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
    expect((await explain('wallets/shop', 'read')).granted).toBe(true);
    const { out } = await cli.done(['access', 'explain', 'wallet/shop', 'update']);
    const signer = JSON.stringify({ public: keys.owner });
    expect(out.split('\n').slice(1)).toEqual([
      `  rule that grants it, of the ledger: {"action":"any","record":"any","signer":${signer}}`,
      `    It is for whoever signs with the key ${keys.owner}.`,
      '',
    ]);
    const read = await cli.done(['access', 'explain', 'wallet/shop', 'read']);
    expect(read.out.split('\n').slice(2)).toEqual([
      `    It is for whoever has a token made with the key ${keys.owner}.`,
      '',
    ]);
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
    // The rules of the owner are no help, whatever they are met by.
    const others = found.remarks.filter((one: string) => !one.includes('add a rule with "bearer"'));
    expect(found.remarks.length - others.length).toBe(1);
    expect(new Set(others)).toEqual(new Set(['It is for another key.']));
    await allow({ action: 'any', record: 'any', bearer: { $signer: { public: keys.ben } } });
    expect((await explain('wallet/shop', 'read', ...asBen)).granted).toBe(true);
  });

  it('tells that a write needs a signer rule', async () => {
    const ben = { public: keys.ben };
    await allow(
      { action: 'access', record: 'any', signer: ben },
      { action: 'any', record: 'any', bearer: { $signer: ben } },
    );
    const found = await explain('wallet/shop', 'update', ...asBen);
    expect(found.granted).toBe(false);
    expect(found.remarks).toContainEqual(expect.stringContaining('add a rule with "signer"'));
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
    const { out } = await cli.done(['wallet', 'check', 'shop', 'update', '--signer', 'ben']);
    const rule = { action: 'update', record: 'wallet', signer: { $circle: 'tellers' } };
    expect(out).toBe(
      `of the ledger: ${JSON.stringify(rule)}\n  It is for whoever signs as a member of the circle tellers.\n`,
    );
  });

  it('refuses what is no record', async () => {
    for (const record of ['walet/shop', 'wallet', 'wallet/']) {
      expect((await cli.call(['access', 'explain', record, 'read'])).code).toBe(2);
    }
    expect((await cli.call(['access', 'explain', 'wallet/none', 'read'])).code).toBe(1);
  });
});

describe('rules of the ledger that lock out the key that signs them', () => {
  const update = (access: object[], ...more: string[]) =>
    cli.call(['ledger', 'update', '--access', JSON.stringify(access), ...more]);
  const rules = async () => (await cli.done(['ledger', 'show', '--json'])).json.data.access;

  it('are refused without a confirmation', async () => {
    await allow();
    const before = await rules();
    const owner = { public: keys.owner };
    for (const [lost, access] of [
      ['`access` and `update`', []],
      ['`access` and `update`', [{ action: 'any', record: 'any', signer: { public: keys.ben } }]],
      ['`access` and `update`', [{ action: 'any', record: 'wallet', signer: owner }]],
      ['`access` and `update`', [{ action: 'any', record: 'any', bearer: { $signer: owner } }]],
      ['`update`', [{ action: 'access', signer: owner }]],
      ['`access` and `update`', [{ action: 'any', record: 'any', signer: { $circle: 'tellers' } }]],
    ] as const) {
      const { code, err } = await update([...access]);
      expect([code, err]).toEqual([
        2,
        `Beware: no rule seems to leave your key the right to ${lost} on the ledger: you may lock yourself out.\n` +
          '✗ This needs confirmation.\n  Try: add --yes\n',
      ]);
    }
    for (const args of [
      ['--unset', 'access'],
      ['--replace', '--custom', '{}'],
    ]) {
      expect((await cli.call(['ledger', 'update', ...args])).code).toBe(2);
    }
    expect(await rules()).toEqual(before);
    expect((await cli.call(['ledger', 'create', 'lost', '--access', '[]'])).code).toBe(2);
    expect((await cli.call(['ledger', 'show', '--ledger', 'lost'])).code).toBe(1);
  });

  it('need none while a rule leaves the key its rights, by whatever it is met', async () => {
    const owner = { $ledger: 'owner' };
    const kept = [
      { action: 'access', signer: { $in: [{ public: keys.ben }, owner] } },
      { action: { $in: ['update', 'read'] }, record: 'ledger', signer: { public: keys.owner } },
    ];
    expect((await update(kept)).code).toBe(0);
    // Only the ledger can tell that the circle has the key, and does so for a rule that stays.
    await cli.done(['ledger', 'update', '--access', JSON.stringify([...kept, { action: 'any', record: 'any' }])]);
    await cli.done(['signer', 'register', 'owner']);
    await cli.done(['circle', 'add', 'tellers', 'owner']);
    const tellers = { action: { $in: ['access', 'update'] }, signer: { $circle: 'tellers' } };
    const others = { ...tellers, signer: { $circle: 'nobody' } };
    expect((await update([...kept, tellers])).code).toBe(0);
    expect((await update([tellers])).code).toBe(0);
    expect((await update([tellers, { action: 'any', record: 'any', signer: owner }])).code).toBe(0);
    await cli.done(['circle', 'create', 'nobody']);
    expect((await update([tellers, others, { action: 'any', record: 'any', signer: owner }])).code).toBe(0);
    // One of two rules that look alike without their conditions.
    expect((await update([others])).code).toBe(2);
    // Later tests need the rules.
    await allow();
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
