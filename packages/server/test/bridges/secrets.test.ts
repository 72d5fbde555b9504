import { inspect } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Secret } from '../../src/base/secret.js';
import { findBridge } from '../../src/bridges/bridge.js';
import { openSession } from '../../src/ledgers/session.js';
import { type Received, type Reply, withBridge } from '../forward/bridge.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import type { TestClient } from '../support/client.js';
import { freePort } from '../support/free-port.js';
import { plantSecret } from '../support/planted.js';
import { type RunningServer, startServer } from '../support/server.js';
import { calling, header, mtls, oauth2, rules, type Secure, withTokenEndpoint } from './scene.js';

const bridge = withBridge();
const endpoint = withTokenEndpoint();
const lines: string[] = [];
let server: RunningServer;
beforeAll(async () => {
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  server = await startServer({ deliveryAllowPrivate: true, logger });
});
afterAll(() => server.stop());
beforeEach(() => {
  bridge.reset();
  endpoint.reset();
  lines.length = 0;
});

const certificate = issueCertificate(makeAuthority('authority'), 'ledger');
const other = issueCertificate(makeAuthority('other'), 'other');
const hmac = { secure: [{ schema: 'hmac', public: 'p', secret: '{{ secret.apiKey }}' }], secret: {} };
const key = header('X-Api-Key', 'header-value');
const token = (url = endpoint.url) => {
  const rule = oauth2(url);
  return { ...rule, secret: { client: 'client-secret' } };
};
const basic = Buffer.from('ledger:client-secret').toString('base64');

/** All that must be seen nowhere: the tokens, and lines of the private key. */
const secrets = () => [
  'header-value',
  'client-secret',
  basic,
  'token-1',
  'token-2',
  'odd-token',
  'broken key',
  ...certificate.key.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----')),
];

const values = ['read', 'create', 'query'].map((action) => aspect(action, 'proxy'));

/** A way in which calls fail: the rules, and what else is unlike a bridge and an endpoint that do as they should. */
interface Failing {
  readonly secure: () => Secure | Promise<Secure>;
  readonly at?: 'nowhere' | 'https';
  readonly reply?: (received: Received) => Reply;
  /** What the token endpoint says. */
  readonly said?: readonly [status: number, text: string];
  /** The private key, as it was stored before keys were judged. */
  readonly planted?: string;
}

const both = () => rules(key, token());

it.each<[string, Failing]>([
  ['a bridge that is not there', { secure: both, at: 'nowhere' }],
  ['a bridge that answers 401', { secure: both, reply: () => ({ status: 401 }) }],
  ['a bridge that answers 500', { secure: both, reply: () => ({ status: 500 }) }],
  [
    'a bridge that answers what it was sent',
    { secure: both, reply: ({ headers }) => ({ status: 500, body: { detail: JSON.stringify(headers) } }) },
  ],
  ['a bridge that breaks off', { secure: both, reply: () => (response) => void response.destroy() }],
  ['a token endpoint that is not there', { secure: async () => rules(key, token(await nowhere())) }],
  ['a token that is refused', { secure: both, said: [400, '{"error":"client-secret"}'] }],
  ['a token that cannot be sent', { secure: both, said: [200, '{"access_token":"odd-token\\n"}'] }],
  ['an answer that is no JSON', { secure: both, said: [200, 'odd-token'] }],
  ['a key that cannot be read', { secure: () => rules(key, mtls(other)), at: 'https', planted: 'broken key' }],
  ['a key of another certificate', { secure: () => rules(key, mtls(other)), at: 'https', planted: certificate.key }],
  ['a bridge without TLS', { secure: () => rules(key, mtls(certificate)), at: 'https' }],
  ['a certificate over http', { secure: () => rules(key, mtls(certificate)) }],
  ['a rule without handler', { secure: () => rules(key, hmac) }],
  ['a header that cannot be sent', { secure: () => rules(token(), header('X-Api-Key', 'header-value\r\nx: y')) }],
])('%s: no secret, token or Basic value is in logs, errors, answers or proofs', async (_, failing) => {
  const { secure, secret } = await failing.secure();
  const url = failing.at === 'nowhere' ? await nowhere() : bridge.url.replace('http', failing.at ?? 'http');
  bridge.instead = failing.reply;
  if (failing.said) {
    const [status, text] = failing.said;
    endpoint.instead = (response) => void response.writeHead(status).end(text);
  }
  const client = await forwardingLedger(server.url, url, values, { secure: [...secure], secret });
  const { planted } = failing;
  if (planted !== undefined) await plantSecret(server, client, '/bridges/bank', 'privateKey', planted);
  const answers = [
    await client.get('/anchors/a'),
    await client.create('/anchors', anchor('a')),
    await client.get('/anchors'),
    await client.get('/bridges/bank'),
    await client.get('/bridges/bank/changes'),
  ];
  expect(answers.slice(0, 2).map(({ status }) => status >= 500)).toEqual([true, true]);
  const failure = await calling(server, client).catch((error) => error);
  const texts = {
    log: lines.join(''),
    answers: answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join(''),
    // What a delivery would have to show of it.
    failure: failure instanceof Error ? inspect(failure, { depth: 20, showHidden: true }) + failure.stack : '',
  };
  expect(texts.log).toContain('access granted');
  expect(texts.log.includes('outbound call failed')).toBe(!answers[0]?.text.includes('forward.invalid-response'));
  for (const [where, text] of Object.entries(texts)) {
    for (const one of secrets()) expect(text.includes(one), `${one} in the ${where}`).toBe(false);
  }
});

it('a bridge that is loaded shows none of its secrets when it is logged', async () => {
  const all = rules(key, token(), mtls(certificate));
  const client: TestClient = await forwardingLedger(server.url, bridge.url, [], { ...all, secure: [...all.secure] });
  const { service } = server.server;
  const ledger = await service.ledgers.resolve(client.ledger!);
  const loaded = await findBridge(openSession(service, ledger), 'bank');
  expect(loaded?.rules).toHaveLength(3);
  const shown = [
    JSON.stringify(loaded),
    inspect(loaded, { depth: 20, showHidden: true }),
    String(new Secret('token-1')),
  ];
  for (const one of secrets()) expect(shown.join().includes(one), one).toBe(false);
  expect(shown[0]).toContain('[secret]');
});

async function nowhere(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
