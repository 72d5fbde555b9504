import { beforeAll, describe, expect, it } from 'vitest';
import { newLedger, signed, TestClient } from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { Description } from './description.js';
import { exchange, requestText } from './raw.js';
import { expectRefusal, storedChanges, systemKey } from './refusal.js';

const NO_TENANT =
  'This endpoint is not available on a ledger-scoped URL or with an X-Ledger header. Connect to the base server URL and retry.';

describe('x-ledger (interface/ledgers#choosing-a-ledger)', () => {
  const server = withOwnServer();
  let client: TestClient;
  let system: string;
  let nowhere: TestClient;

  beforeAll(async () => {
    client = await newLedger(server.current.url);
    system = await systemKey(client);
    nowhere = new TestClient(server.current.url, client.key);
  });

  it('takes a handle or a luid, and answers in the name of that ledger', async () => {
    const { body: ledger } = await client.get('/ledger');
    for (const name of [client.ledger!, ledger.luid]) {
      expect((await client.in(name).get('/ledger')).body.luid).toBe(ledger.luid);
      expectRefusal(await client.in(name).get('/wallets/nobody'), { reason: 'record.not-found', signedBy: system });
    }
  });

  it('keeps ledgers apart', async () => {
    const other = await newLedger(server.current.url, { key: client.key });
    await client.create('/wallets', { handle: 'mine' });
    expectRefusal(await other.get('/wallets/mine'), { reason: 'record.not-found', signedBy: await systemKey(other) });
    expect(await systemKey(other)).not.toBe(system);
  });

  it('refuses an unknown one before everything else about the request', async () => {
    const unknown = {
      reason: 'api.route-not-found',
      detail: 'Server does not host requested ledger',
      signedBy: null,
    } as const;
    for (const name of [
      'nobody',
      'a'.repeat(255),
      'a'.repeat(256),
      '$ldg.-0123456789abcdef',
      'with space',
      'a,b',
      '%00',
    ]) {
      expectRefusal(await client.in(name).get('/wallets'), unknown);
    }
    const bad = client.in('nobody');
    expectRefusal(await bad.call('POST', '/wallets', '{'), unknown);
    expectRefusal(await bad.get('/wallets?data.foo=1', { authorization: 'Bearer x' }), unknown);
    expectRefusal(await bad.call('POST', '/wallets', `"${'x'.repeat(1024 * 1024)}"`), unknown);
    expectRefusal(await bad.get('/ledgers'), unknown);
    expectRefusal(await bad.call('POST', '/ledgers', {}), unknown);
  });

  it('refuses a route of a ledger without one, or with an empty one', async () => {
    const missing = { reason: 'api.route-not-found', detail: 'Active ledger is not set!', signedBy: null } as const;
    for (const path of ['/ledger', '/wallets', '/wallets/w', '/signers/a/factors', '/wallets/w/changes/1']) {
      expectRefusal(await nowhere.get(path), missing);
    }
    expectRefusal(await nowhere.call('POST', '/wallets', '{'), missing);
    expectRefusal(await nowhere.create('/wallets', { handle: 'w' }), missing);
    expectRefusal(await nowhere.get('/wallets', { 'x-ledger': '' }), missing);
  });

  it('takes the ledger of an old path without a header (interface/ledgers#the-record-of-a-ledger)', async () => {
    expect((await nowhere.get(`/ledgers/${client.ledger}`)).body.data.handle).toBe(client.ledger);
    expectRefusal(await nowhere.get('/ledgers/nobody'), {
      reason: 'api.route-not-found',
      detail: 'Server does not host requested ledger',
      signedBy: null,
    });
  });

  it('refuses one on the collection of ledgers, in the name of that ledger', async () => {
    const stored = await storedChanges(server.current);
    const refused = { reason: 'api.no-tenant-allowed', detail: NO_TENANT, signedBy: system } as const;
    const described = await Description.of(server.current.url);
    for (const answer of [await client.get('/ledgers'), await client.call('POST', '/ledgers', '{}')]) {
      expectRefusal(answer, refused);
      expect(described.answerErrors('GET', '/ledgers', answer.status, answer.body)).toBeUndefined();
      expect(described.answerErrors('POST', '/ledgers', answer.status, answer.body)).toBeUndefined();
    }
    expectRefusal(await client.create('/ledgers', { handle: 'new', signer: 'system' }), refused);
    expectRefusal(await client.call('POST', '/ledgers', '{'), refused);
    expect(await storedChanges(server.current)).toBe(stored);
  });

  it('signs no error of the collection of ledgers', async () => {
    expectRefusal(await nowhere.get('/ledgers'), { reason: 'auth.unauthorized', signedBy: null });
    expectRefusal(await nowhere.call('POST', '/ledgers', '{'), { reason: 'api.body-malformed', signedBy: null });
    expectRefusal(await nowhere.create('/ledgers', { handle: client.ledger!, signer: 'system' }), {
      reason: 'record.duplicated',
      detail: `Ledger with handle ${client.ledger} already exists.`,
      signedBy: null,
    });
  });

  it('reads two headers as one name that nobody has', async () => {
    const answer = await exchange(server.current.url, [
      Buffer.from(
        `GET /v2/ledger HTTP/1.1\r\nhost: a\r\nx-ledger: ${client.ledger}\r\nX-Ledger: ${client.ledger}\r\n\r\n`,
      ),
    ]);
    expectRefusal(answer, {
      reason: 'api.route-not-found',
      detail: 'Server does not host requested ledger',
      signedBy: null,
    });
  });

  it('survives every byte in it', async () => {
    for (let byte = 1; byte < 256; byte += 1) {
      if (byte === 10 || byte === 13) continue;
      const name = Buffer.from([byte]).toString('latin1');
      const answer = await exchange(server.current.url, [requestText('GET /v2/ledger', { 'x-ledger': `a${name}b` })]);
      expect([400, 404], `byte ${byte}: ${answer.text}`).toContain(answer.status);
      expect(answer.body.data.reason).toMatch(/^api\./);
    }
  });

  it('takes the default ledger of the deployment where one is set', async () => {
    Object.assign(server.current.server.service, { defaultLedger: client.ledger });
    try {
      expect((await nowhere.get('/ledger')).body.data.handle).toBe(client.ledger);
      expectRefusal(await nowhere.get('/wallets/nobody'), { reason: 'record.not-found', signedBy: system });
      const body = signed({ handle: `${client.ledger}-2`, signer: 'system' }, client.key);
      expect((await nowhere.call('POST', '/ledgers', body)).status).toBe(201);
    } finally {
      Object.assign(server.current.server.service, { defaultLedger: undefined });
    }
  });
});
