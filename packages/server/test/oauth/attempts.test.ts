import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FailureCounts } from '../../src/auth/failures.js';
import { failedAttemptLimits } from '../../src/store/queries/failed-attempts.js';
import { newLedger, type TestClient } from '../support/client.js';
import { createMigratedDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { whileLocked } from '../support/locked.js';
import { type RunningServer, startServer } from '../support/server.js';
import { ask, credentialsFor, grant, type OauthLedger, oauthLedger } from './scene.js';

const { attempts, window } = failedAttemptLimits;

describe('wrong secrets (interface/tokens#token-endpoint)', () => {
  let shift = 0;
  let server: RunningServer;
  let scene: OauthLedger;
  beforeAll(async () => {
    const runtime = {
      now: () => Date.now() + shift,
      random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
    };
    server = await startServer({ runtime });
    scene = await oauthLedger(server.url);
  });
  afterAll(() => server.stop());

  async function fail(client: TestClient, id: string, times: number): Promise<number[]> {
    const answers = [];
    for (let time = 0; time < times; time += 1) answers.push(await ask(client, grant({ id, secret: 'wrong' })));
    return answers.map(({ status }) => status);
  }

  it(`are answered ${attempts} times; then the client waits, with the right one too, and goes on afterwards`, async () => {
    const { client, credentials } = scene;
    expect(await fail(client, credentials.id, attempts - 1)).toEqual(Array(attempts - 1).fill(401));
    expect((await ask(client, grant(credentials))).status).toBe(200);
    expect(await fail(client, credentials.id, 2)).toEqual([401, 429]);
    const refused = await ask(client, grant(credentials));
    expect([refused.status, refused.body]).toEqual([
      429,
      { error: 'invalid_client', error_description: 'Too many failed attempts. Retry later.' },
    ]);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(window / 1000);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    shift += wait * 1000;
    expect((await ask(client, grant(credentials))).status).toBe(200);
  });

  it('keep nobody else waiting: another client, another ledger, another address', async () => {
    const { client, credentials } = await oauthLedger(server.url);
    const neighbour = await credentialsFor(client, 'app', 'neighbour');
    await fail(client, credentials.id, attempts + 1);
    expect((await ask(client, grant(credentials))).status).toBe(429);
    expect((await ask(client, grant(neighbour))).status).toBe(200);
    expect((await ask(await newLedger(server.url), grant(credentials))).status).toBe(401);
    expect(await askFrom('127.0.0.2', client, grant(credentials))).toBe(200);
  });

  it('are counted for clients that do not exist as for those that do', async () => {
    expect(await fail(scene.client, 'ghost', attempts + 1)).toEqual([...Array(attempts).fill(401), 429]);
  });

  it('are counted one by one, however many come at once', async () => {
    const { client } = scene;
    const answers = await Promise.all(Array.from({ length: 3 * attempts }, () => fail(client, 'flood', 1)));
    expect(answers.flat().filter((status) => status === 401)).toHaveLength(attempts);
  });
});

describe('the right secret after wrong ones that came at once', () => {
  it('waits as they do, though none of them is stored yet', async () => {
    const database = await createMigratedDatabase();
    const server = await startServer({ database });
    try {
      const { client, credentials } = await oauthLedger(server.url);
      const wrong = () => ask(client, grant({ id: credentials.id, secret: 'wrong' }));
      let last: ReturnType<typeof ask> | undefined;
      // All of them look for the client until the lock is released: none is judged before all have come.
      await whileLocked(database.url, 'record', '', async (waiting) => {
        const guesses = Array.from({ length: 3 * attempts }, wrong);
        await eventually(async () => expect(await waiting()).toBeGreaterThan(0));
        last = ask(client, grant(credentials));
        expect((await fetch(server.url)).status).toBe(200);
        for (const guess of guesses) guess.catch(() => {});
      });
      expect((await last!).status).toBe(429);
    } finally {
      await server.stop();
      await database.drop();
    }
  });
});

describe('wrong secrets behind a proxy', () => {
  it('are counted by the address that a trusted proxy tells, and one network of IPv6 is one', async () => {
    const proxied = await startServer({ connections: { trustedProxies: ['127.0.0.1'] } });
    try {
      const { client, credentials } = await oauthLedger(proxied.url);
      const wrong = { ...credentials, secret: 'wrong' };
      const from = (sender: string, secret = credentials) =>
        askFrom('127.0.0.1', client, grant(secret), { 'x-forwarded-for': `203.0.113.9, ${sender}` });
      for (let time = 0; time < attempts; time += 1) expect(await from(`2001:db8::${time}`, wrong)).toBe(401);
      expect(await from('2001:db8::ffff')).toBe(429);
      expect(await from('2001:db8:0:100::1')).toBe(200);
      expect(await from('192.0.2.1')).toBe(200);
    } finally {
      await proxied.stop();
    }
  });

  it('are counted by the address of the connection where the proxy is not trusted', async () => {
    const other = await startServer({ connections: { trustedProxies: ['192.0.2.0/24'] } });
    try {
      const { client, credentials } = await oauthLedger(other.url);
      const wrong = { ...credentials, secret: 'wrong' };
      const from = (sender: string, secret = credentials) =>
        askFrom('127.0.0.1', client, grant(secret), { 'x-forwarded-for': sender });
      for (let time = 0; time < attempts; time += 1) expect(await from(`192.0.2.${time}`, wrong)).toBe(401);
      expect(await from('192.0.2.100')).toBe(429);
    } finally {
      await other.stop();
    }
  });
});

describe('wrong secrets at several processes', () => {
  it('are counted together, however many come at once, and the right one waits at each', async () => {
    const database = await createMigratedDatabase();
    const servers = [await startServer({ database }), await startServer({ database }), await startServer({ database })];
    try {
      const { client, credentials } = await oauthLedger(servers[0]!.url);
      const at = servers.map(({ url }) => client.at(url));
      const wrong = (one: TestClient) => ask(one, grant({ id: credentials.id, secret: 'wrong' }));
      const answers = await Promise.all(Array.from({ length: 3 * attempts }, (_, index) => wrong(at[index % 3]!)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(attempts);
      expect(statuses.filter((status) => status === 429)).toHaveLength(2 * attempts);
      for (const one of at) {
        const refused = await ask(one, grant(credentials));
        expect(refused.status).toBe(429);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      for (const server of servers) await server.stop();
      await database.drop();
    }
  });
});

/** A token asked for from an address of this machine. */
function askFrom(
  localAddress: string,
  client: TestClient,
  form: Record<string, string>,
  more: Record<string, string> = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-ledger': client.ledger, 'content-type': 'application/x-www-form-urlencoded', ...more };
    const asked = request(`${client.url}/oauth/token`, { method: 'POST', localAddress, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', reject);
    asked.end(new URLSearchParams(form).toString());
  });
}

describe('Failures', () => {
  it('are forgotten when the window of the first one ends', () => {
    let now = 1000;
    const failures = new FailureCounts(() => now, { attempts: 2, window: 100, remembered: 10 });
    failures.add('a');
    expect(failures.wait('a')).toBe(0);
    now = 1050;
    failures.add('a');
    expect([failures.wait('a'), failures.wait('b')]).toEqual([50, 0]);
    now = 1099;
    expect(failures.wait('a')).toBe(1);
    now = 1100;
    expect(failures.wait('a')).toBe(0);
    failures.add('a');
    expect(failures.wait('a')).toBe(0);
  });

  it('are remembered of so many keys and no more: the earliest goes', () => {
    const failures = new FailureCounts(() => 0, { attempts: 1, window: 100, remembered: 3 });
    for (const key of ['a', 'b', 'c']) failures.add(key);
    expect([failures.size, failures.wait('a')]).toEqual([3, 100]);
    failures.add('d');
    expect([failures.size, failures.wait('a'), failures.wait('b'), failures.wait('d')]).toEqual([3, 0, 100, 100]);
  });

  it('that are over take no room', () => {
    let now = 0;
    const failures = new FailureCounts(() => now, { attempts: 1, window: 100, remembered: 1000 });
    for (let key = 0; key < 500; key += 1) failures.add(`${key}`);
    now = 100;
    failures.add('last');
    expect(failures.size).toBe(1);
  });
});
