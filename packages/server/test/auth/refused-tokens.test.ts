import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestHash } from '../../src/auth/request-hash.js';
import { tokenLimits } from '../../src/auth/token-limits.js';
import { parseConfig } from '../../src/config.js';
import { makeRefusedTokenLog } from '../../src/http/refused-tokens.js';
import { requestLimits } from '../../src/http/request-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestClient } from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';

describe('a refused token', () => {
  const lines: string[] = [];
  let ahead = 0;
  const server = withOwnServer({
    logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    runtime: { now: () => Date.now() + ahead, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) },
  });
  let client: TestClient;

  beforeAll(async () => {
    client = await newLedger(server.current.url);
  });

  /** What the log says of a request with that header; the answer says nothing. */
  async function toldOf(headers: Record<string, string>): Promise<{ [name: string]: unknown }> {
    lines.length = 0;
    // Another minute, in which all is told.
    ahead += requestLimits.refusedTokens.window;
    const answer = await client.get('/wallets/precious?a=precious', headers);
    expectRefusal(answer, client, 'auth.unauthorized', 'Invalid token.');
    expect(lines).toHaveLength(1);
    for (const secret of [
      'precious',
      ...Object.values(headers)
        .map((value) => value.split('.').at(-1)!)
        .filter(Boolean),
    ]) {
      expect(lines[0]).not.toContain(secret);
    }
    const { level, msg, method, route, ledger, why } = JSON.parse(lines[0]!);
    expect({ level, msg, method, route, ledger }).toEqual({
      level: 30,
      msg: 'a token was refused',
      method: 'GET',
      route: '/v2/wallets/:id',
      ledger: client.ledger,
    });
    return why;
  }

  it('is told why in the log, without the token, and not in the answer', async () => {
    const key = newKey();
    // Tokens are made by the clock of the test, read by that of the server.
    const token = (claims: object = {}) => {
      const now = Math.floor((Date.now() + ahead + requestLimits.refusedTokens.window) / 1000);
      const exp = now + ('jti' in claims ? 300 : 3_600);
      return bearer(key, { iat: now, exp, ...claims });
    };
    const forged = token().authorization!.replace(/\.[^.]*$/, `.${'A'.repeat(86)}`);
    const kid = (name: string) => {
      const [header, ...rest] = token().authorization!.slice(7).split('.');
      const { alg } = JSON.parse(Buffer.from(header!, 'base64url').toString());
      return `Bearer ${[Buffer.from(JSON.stringify({ alg, kid: name })).toString('base64url'), ...rest].join('.')}`;
    };
    const cases: [string, Record<string, string>][] = [
      ['no-bearer', { authorization: 'Basic cHJlY2lvdXM6c2VjcmV0' }],
      ['too-long', { authorization: `Bearer ${'a.'.repeat(tokenLimits.bytes / 2)}xyz` }],
      ['malformed', { authorization: 'Bearer nonsense' }],
      ['algorithm-unknown', { authorization: `Bearer ${none()}` }],
      ['claims-malformed', token({ iss: '' })],
      ['expired', token({ iat: 1, exp: 2 })],
      ['from-the-future', token({ iat: 9e9, exp: 9.1e9 })],
      ['not-valid-yet', token({ nbf: 9e9 })],
      ['single-use-too-long', token({ jti: 'once', exp: 9e9 })],
      ['signer-unknown', { authorization: kid('nobody') }],
      ['badly-signed', { authorization: forged }],
      ['bound-to-another-request', token({ hsh: 'precious' })],
    ];
    for (const [why, headers] of cases) expect(await toldOf(headers), why).toBe(why);
    expect((await client.get('/wallets', token())).status).toBe(200);
    const once = token({ jti: 'once' });
    expect((await client.get('/wallets', once)).status).toBe(200);
    expect(await toldOf(once)).toBe('used-already');
  });

  it('is told so many times in a minute, and then how often it was not', () => {
    let now = 0;
    const told: object[] = [];
    const log = { info: (fields: object) => void told.push(fields) } as unknown as Parameters<
      typeof makeRefusedTokenLog
    >[0];
    const refuse = makeRefusedTokenLog(log, () => now);
    const refused = { method: 'GET', route: '/v2', ledger: undefined, why: 'expired' } as const;
    for (let count = 0; count < requestLimits.refusedTokens.count; count += 1) refuse(refused);
    expect(told).toHaveLength(requestLimits.refusedTokens.count);
    for (let count = 0; count < 3; count += 1) refuse(refused);
    now = requestLimits.refusedTokens.window - 1;
    refuse(refused);
    expect(told).toHaveLength(requestLimits.refusedTokens.count);
    now = requestLimits.refusedTokens.window;
    refuse(refused);
    expect(told.slice(requestLimits.refusedTokens.count)).toEqual([{ ...refused, untold: 4 }]);
  });
});

/** A token that nobody signed. */
function none(): string {
  return (
    [{ alg: 'none', kid: 'a' }, {}].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
    '.'
  );
}

describe('a token bound to a request', () => {
  const server = withOwnServer();

  it('may name this machine as it likes, while nobody has said what clients call', async () => {
    const client = await newLedger(server.current.url);
    const key = newKey();
    const port = new URL(server.current.url).port;
    const bound = async (base: string) => {
      const url = `${base}/wallets?a=%20b`;
      const hsh = requestHash({ method: 'GET', url, headers: {}, body: undefined });
      return (await client.get('/wallets?a=%20b', bearer(key, { hsh }))).status;
    };
    const { publicAliases } = parseConfig({ PORT: port });
    const named = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}/v2`);
    expect(publicAliases).toEqual(named.slice(1));
    expect(await Promise.all(named.map(bound))).toEqual([200, 401, 401]);
    Object.assign(server.current.server.service, { publicAliases });
    expect(await Promise.all(named.map(bound))).toEqual([200, 200, 200]);
    const others = [
      `http://127.0.0.2:${port}/v2`,
      `https://localhost:${port}/v2`,
      'http://localhost/v2',
      'http://localhost:1/v2',
    ];
    expect(await Promise.all(others.map(bound))).toEqual(others.map(() => 401));
  });

  it('names the one URL that PUBLIC_URL says, or the address of a HOST that is not this machine alone', () => {
    expect(parseConfig({ PUBLIC_URL: 'http://127.0.0.1:3000/v2' }).publicAliases).toEqual([]);
    expect(parseConfig({ HOST: '192.0.2.7' }).publicAliases).toEqual([]);
    const all = parseConfig({ HOST: '0.0.0.0', PORT: '4000' });
    expect([all.publicUrl, ...all.publicAliases]).toEqual(
      ['localhost', '127.0.0.1', '[::1]'].map((host) => `http://${host}:4000/v2`),
    );
    expect(parseConfig({ HOST: '::1' }).publicAliases).toEqual([
      'http://127.0.0.1:3000/v2',
      'http://localhost:3000/v2',
    ]);
  });
});
