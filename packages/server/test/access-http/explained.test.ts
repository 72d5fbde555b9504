import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, type TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { ok, stored } from '../support/scene.js';
import { bearer } from '../support/token.js';
import { type Deployed, deploy, type LogLine } from './deployment.js';
import { activated, founded, GATE, readBy, registered, underPolicies } from './support.js';

let database: TestDatabase;
let server: Deployed;

beforeAll(async () => {
  database = await createMigratedDatabase();
  server = await deploy(database, { logLevel: 'debug' });
});

afterAll(async () => {
  await server?.stop();
  await database?.drop();
});

/** The decisions that requests made inside `work` were logged with. */
async function decisions(work: () => Promise<unknown>): Promise<LogLine[]> {
  const from = server.log.length;
  await work();
  return server.log.slice(from).filter(({ msg }) => msg.startsWith('access '));
}

/** The one decision, without what every line has. */
async function decision(work: () => Promise<unknown>): Promise<object> {
  const found = await decisions(work);
  expect(found).toHaveLength(1);
  const { level: _, time: __, pid: ___, hostname: ____, reqId, ...told } = found[0] as LogLine;
  expect(reqId).toMatch(/^req-/);
  return told;
}

const granted = { granted: true, msg: 'access granted' };
const refused = { granted: false, stopped: 'rules', msg: 'access refused: no rule grants it' };
const shut = { granted: false, stopped: 'gate', msg: 'access refused: no rule opens the ledger' };

describe('each decision is a line of the debug log', () => {
  it('that names the level and the place of the rule that granted', async () => {
    const founder = await founded(server.url, [GATE, { action: 'create', record: 'symbol' }, { policy: 'p' }]);
    await stored(founder, 'domain', {
      handle: 'a',
      access: [{ action: 'drop' }, { action: 'read', record: 'wallet' }],
    });
    await stored(founder, 'policy', { handle: 'p', schema: 'access', record: 'symbol', values: [{ action: 'read' }] });
    await stored(founder, 'wallet', { handle: 'w', access: [{ action: 'drop' }, { action: 'update' }] });
    const below = await stored(founder, 'wallet', { handle: 'w@a' });
    const { ledger } = founder;
    const stranger = founder.as(newKey());
    const wallet = { ledger, record: 'wallet' };
    expect(await decision(() => readBy(founder, stranger.key, '/wallets/w@a'))).toEqual({
      ...{ ...wallet, action: 'read', handle: 'w@a', ...granted },
      by: { level: 'domain', index: 1 },
    });
    const create = () => stranger.create('/symbols', { handle: 's', factor: 1 });
    expect(await decision(create)).toEqual({
      ...{ ledger, record: 'symbol', action: 'create', handle: 's', ...granted },
      by: { level: 'ledger', index: 3 },
    });
    expect(await decision(() => readBy(founder, stranger.key, '/symbols/s'))).toEqual({
      ...{ ledger, record: 'symbol', action: 'read', handle: 's', ...granted },
      by: { level: 'ledger', index: 4, policy: 'p' },
    });
    const { body } = await founder.get('/wallets/w', bearer(founder.key));
    expect(await decision(() => stranger.update('/wallets/w', body, { handle: 'w' }))).toEqual({
      ...{ ...wallet, action: 'update', handle: 'w', ...granted },
      by: { level: 'record', index: 1 },
    });
    expect(await decision(() => stranger.get('/ledger'))).toEqual({
      ...{ ledger, record: 'ledger', action: 'read', handle: ledger, ...granted },
      by: { level: 'server', index: 1 },
    });
    expect(await decision(() => readBy(founder, stranger.key, '/wallets'))).toEqual({
      ...{ ...wallet, action: 'query', ...granted },
      by: { level: 'ledger', index: 2 },
    });
    expect(await decision(() => stranger.prove('/wallets/w@a', below, {}))).toEqual({
      ...{ ledger, record: 'wallet-proof', action: 'create', handle: 'w@a', ...refused },
    });
  });

  it('that says where who is refused was stopped', async () => {
    const founder = await founded(server.url);
    await stored(founder, 'wallet', { handle: 'w' });
    const { ledger } = founder;
    const told = { ledger, action: 'read', record: 'wallet', handle: 'w' };
    expect(await decision(() => founder.get('/wallets/w'))).toEqual({ ...told, ...shut });
    expect(await decision(() => founder.get('/wallets'))).toEqual({
      ledger,
      action: 'query',
      record: 'wallet',
      ...shut,
    });
    const entered = await founded(server.url, [GATE]);
    const create = () => entered.as(newKey()).create('/wallets', { handle: 'w' });
    const at = { ledger: entered.ledger, action: 'create', record: 'wallet', handle: 'w' };
    expect(await decision(create)).toEqual({ ...at, ...refused });
  });

  it('that names the policy under policies, and the circle that is asked', async () => {
    const founder = await underPolicies(server.url, [
      { handle: 'gate', record: 'ledger', values: [{ action: 'access' }] },
    ]);
    await activated(founder, {
      handle: 'p',
      record: 'circle',
      values: [{ action: 'read' }, { action: 'assign-signer' }],
    });
    await registered(founder, 'alice');
    await stored(founder, 'circle', { handle: 'ops' });
    const assign = () => founder.as(newKey()).create('/circles/ops/signers', { circle: 'ops', signer: 'alice' });
    expect(await decision(assign)).toEqual({
      ...{ ledger: founder.ledger, action: 'assign-signer', record: 'circle', handle: 'ops', ...granted },
      by: { level: 'policy', index: 1, policy: 'p' },
    });
  });

  it('for the making of ledgers too', async () => {
    const made: { client?: TestClient } = {};
    const told = await decision(async () => {
      made.client = await founded(server.url);
    });
    expect(told).toEqual({ action: 'create', record: 'ledger', ...granted, by: { level: 'server', index: 0 } });
  });

  it('and holds no token, no key, and nothing of the record but its handle', async () => {
    const founder = await founded(server.url, [GATE]);
    const alice = await registered(founder, 'alice', { secret: 'c4n4ry-sealed' });
    const data = { handle: 'w', custom: { canary: 'c4n4ry' } };
    const token = bearer(alice, { jti: 'c4n4ry-jti', role: 'c4n4ry-claim' });
    const lines = await decisions(async () => {
      const wallet = await stored(founder, 'wallet', data);
      await founder.call('PUT', '/wallets/w', { ...wallet, meta: { proofs: [{ custom: {} }] } }, token);
      await founder.get('/wallets/w', token);
      await founder.get('/wallets?data.custom.canary=c4n4ry', bearer(founder.key));
      const factor = { handle: 'f', signer: 'alice', schema: 'key-pair', format: 'ed25519-raw', public: alice.public };
      await stored(founder, 'signer-factor', { ...factor, secret: '{{ secret.k }}' }, { k: 'c4n4ry-key' });
    });
    expect(lines.length).toBeGreaterThanOrEqual(3);
    const text = JSON.stringify(server.log);
    for (const secret of ['c4n4ry', 'Bearer', token.authorization?.slice(-40), alice.public, founder.key.public]) {
      expect(text).not.toContain(secret);
    }
  });

  it('but is not written, nor made, when the log is for graver things', async () => {
    const quiet = await deploy(database, { logLevel: 'info' });
    try {
      const founder = await founded(quiet.url, [GATE]);
      ok(await founder.create('/wallets', { handle: 'w' }));
      await founder.get('/wallets/w');
      expect(quiet.log.filter(({ msg }) => msg.startsWith('access '))).toEqual([]);
    } finally {
      await quiet.stop();
    }
  });
});
