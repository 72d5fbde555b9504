import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '@countersign/protocol';
import { LedgerSdk } from '@minka/ledger-sdk';
import { signJWT } from '@minka/ledger-sdk/crypto/src/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BoundRequest } from '../../src/auth/request-hash.js';
import { claims, Keys, publicKey, REFUSED, seed, verify } from './tokens.js';

/** What the public client sent, as a server behind `origin` sees it. */
const received: BoundRequest[] = [];
let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const body = text === '' ? undefined : (JSON.parse(text) as Json);
      received.push({ method, url: `${origin}${url}`, headers, body });
      outgoing.setHeader('content-type', 'application/json').end('{"data":{},"meta":{"proofs":[]}}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

const keyPair = { format: 'ed25519-raw' as const, public: publicKey, secret: Buffer.from(seed).toString('base64') };

function client(secure: object = {}) {
  return new LedgerSdk({
    ledger: 'acme',
    server: `${origin}/api/v2`,
    secure: { aud: 'acme', iss: 'sdk', exp: 3600, keyPair, ...secure } as never,
  });
}

/** The request that `call` makes; the answer is none the client likes, and does not matter. */
async function sentBy(call: () => Promise<unknown>): Promise<BoundRequest> {
  received.length = 0;
  await call().catch(() => undefined);
  expect(received).toHaveLength(1);
  return received[0]!;
}

async function verifySent(request: BoundRequest) {
  const authorization = request.headers.authorization as string;
  const { iat } = JSON.parse(Buffer.from(authorization.split('.')[1]!, 'base64url').toString()) as { iat: number };
  return verify(authorization.replace('Bearer ', ''), { request, now: iat * 1000, keys: new Keys() });
}

const calls: [string, (sdk: LedgerSdk) => Promise<unknown>][] = [
  ['read', (sdk) => sdk.wallet.read('tesla')],
  ['read of a handle that is written otherwise in a URL', (sdk) => sdk.wallet.read('schema:tesla+x@acme')],
  ['list', (sdk) => sdk.wallet.list()],
  ['list with a page', (sdk) => sdk.wallet.list({ page: { index: 2, limit: 5 } } as never)],
  [
    'list with filters',
    (sdk) =>
      sdk.wallet.list({ 'data.custom.name': "Zoë & 'co' = 1+1", 'meta.labels': { $in: ['a b', '[c]'] } } as never),
  ],
  [
    'create',
    (sdk) =>
      sdk.wallet
        .init({ data: { handle: 'tesla', custom: { amount: 1.5, name: 'Zoë', nothing: null } } } as never)
        .hash()
        .sign([{ keyPair }] as never)
        .send(),
  ],
  [
    'update',
    (sdk) =>
      sdk.wallet
        .from({ hash: 'ab'.repeat(32), data: { handle: 'tesla' }, luid: '$wlt.1', meta: { proofs: [] } } as never)
        .data({ handle: 'tesla', custom: { b: 1 } } as never)
        .hash()
        .sign([{ keyPair }] as never)
        .send(),
  ],
];

test.each(calls)('the token of a %s is accepted and bound to it', async (_, call) => {
  const request = await sentBy(() => call(client()));
  const token = await verifySent(request);
  expect(token.key).toBe(publicKey);
  expect(token.claims.hsh).toMatch(/^[0-9a-f]{64}:x-ledger$/);
  const moved = { ...request, url: `${request.url}${request.url.includes('?') ? '&' : '?'}x=1` };
  await expect(verifySent(moved)).rejects.toMatchObject(REFUSED);
  const elsewhere = { ...request, headers: { ...request.headers, 'x-ledger': 'other' } };
  await expect(verifySent(elsewhere)).rejects.toMatchObject(REFUSED);
});

test('a handle as kid, a jti, and no request hash', async () => {
  const secure = { kid: 'admin', sub: 'signer:admin', jti: 'once', exp: 60, createHsh: false };
  const request = await sentBy(() => client(secure).wallet.read('tesla'));
  const token = await verifySent(request);
  expect(token.key).toBe(publicKey);
  expect(token.claims).toMatchObject({ jti: 'once', sub: 'signer:admin' });
  expect(token.claims).not.toHaveProperty('hsh');
});

test("the client's own signing function", async () => {
  const token = await signJWT(claims() as never, keyPair.secret, publicKey);
  expect(await verify(token)).toEqual({ kind: 'self-signed-token', key: publicKey, claims: claims() });
});
