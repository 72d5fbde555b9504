import { hash as hashOf, verifyProof } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, newLedger, proofOver, signed, type TestClient } from '../../../server/test/support/client.js';
import { withOwnServer } from '../../../server/test/support/server.js';
import { type RunningProxy, startProxy } from '../support/proxy.js';

const running = withOwnServer();
const key = newKey();
let proxy: RunningProxy;
let direct: TestClient;

/** Rules by which the key may write by signature and read by token, and nobody else anything. */
const OWN = [
  { action: 'any', record: 'any', signer: { public: key.public } },
  { action: 'any', record: 'any', bearer: { $signer: { public: key.public } } },
];

beforeAll(async () => {
  direct = await newLedger(running.current.url, { key, access: OWN });
  proxy = await startProxy(running.current.url, key);
});
afterAll(() => proxy.stop());

/** Sends a request to the proxy as a program without any key does. */
async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(proxy.url + path, {
    method,
    headers: { 'x-ledger': direct.ledger ?? '', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  const parsed = (): any => JSON.parse(text);
  return { status: response.status, text, headers: response.headers, parsed };
}

let made = 0;
async function newWallet() {
  made += 1;
  const answer = await send('POST', '/wallets', { data: { handle: `w-${made}`, custom: { tier: 'silver' } } });
  expect(answer.status, answer.text).toBe(201);
  return { path: `/wallets/w-${made}`, record: answer.parsed() };
}

describe('the signing proxy, row by row', () => {
  it('GET: adds the token, and answers what the server answers', async () => {
    const { path, record } = await newWallet();
    expect((await direct.get(path)).status).toBe(401);
    const answer = await send('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.parsed()).toEqual(record);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const list = await send('GET', '/wallets?data.handle.$in[0]=w-1&page.limit=1');
    expect(list.parsed().page).toEqual({ index: 0, limit: 1 });
    expect(list.parsed().data).toHaveLength(1);
  });

  it('GET outside of ledgers: lists the ledgers of the key', async () => {
    const response = await fetch(`${proxy.url}/ledgers`);
    const body = (await response.json()) as { data: { data: { handle: string } }[] };
    expect(body.data.map((one) => one.data.handle)).toEqual([direct.ledger]);
  });

  it('POST create: computes the hash, and signs it for the ledger and the kind', async () => {
    const { record } = await newWallet();
    expect(record.hash).toBe(hashOf(record.data));
    const [proof] = record.meta.proofs;
    expect(proof.public).toBe(key.public);
    expect(verifyProof(record.hash, proof)).toBe(true);
    expect(proof.custom).toEqual({
      moment: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      status: 'created',
      ledger: direct.ledger,
      record: 'wallet',
    });
  });

  it('POST create: merges the custom data that the caller gives beside the data, or in a proof without signature', async () => {
    const beside = await send('POST', '/wallets', { data: { handle: 'c-1' }, custom: { labels: ['vip'], note: 1 } });
    expect(beside.parsed().meta.proofs[0].custom).toMatchObject({ status: 'created', labels: ['vip'], note: 1 });
    expect(beside.parsed().meta.labels).toEqual(['vip']);
    const partial = await send('POST', '/wallets', {
      data: { handle: 'c-2' },
      meta: { proofs: [{ custom: { labels: ['b'] } }] },
    });
    expect(partial.status, partial.text).toBe(201);
    expect(partial.parsed().meta.labels).toEqual(['b']);
  });

  it('POST create of a ledger, and of records that lie below others', async () => {
    const handle = `${direct.ledger}-2`;
    const response = await fetch(`${proxy.url}/ledgers`, {
      method: 'POST',
      body: JSON.stringify({ data: { handle } }),
    });
    expect(response.status, await response.clone().text()).toBe(201);
    const ledger = (await response.json()) as { meta: { proofs: { custom: object }[] } };
    expect(ledger.meta.proofs[0]?.custom).toMatchObject({ ledger: handle, record: 'ledger' });
    const other = newKey();
    const signer = { handle: 'ben', format: 'ed25519-raw', public: other.public };
    expect((await send('POST', '/signers', { data: signer })).status).toBe(201);
    expect((await send('POST', '/circles', { data: { handle: 'tellers' } })).status).toBe(201);
    const member = await send('POST', '/circles/tellers/signers', { data: { circle: 'tellers', signer: 'ben' } });
    expect(member.status, member.text).toBe(200);
    expect(member.parsed().meta.proofs[0].custom.record).toBe('circle-signer');
    const factor = { handle: 'ben-otp', schema: 'otp', signer: 'ben' };
    const made = await send('POST', '/signers/ben/factors', { data: factor });
    expect(made.status, made.text).toBe(201);
    expect(made.parsed().meta.proofs[0].custom.record).toBe('signer-factor');
  });

  it('PUT: reads the record for luid and parent, where the caller leaves them out', async () => {
    const { path, record } = await newWallet();
    const answer = await send('PUT', path, { data: { handle: record.data.handle, custom: { tier: 'gold' } } });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.parsed().data).toEqual({ parent: record.hash, handle: record.data.handle, custom: { tier: 'gold' } });
    expect(answer.parsed().meta.proofs[0].custom).toEqual({
      moment: expect.any(String),
      ledger: direct.ledger,
      record: 'wallet',
    });
  });

  it('PUT: keeps the parent that the caller gives', async () => {
    const { path, record } = await newWallet();
    const data = { handle: record.data.handle, parent: 'a'.repeat(64) };
    const answer = await send('PUT', path, { luid: record.luid, data });
    expect(answer.status).toBe(422);
    expect(answer.parsed().data.reason).toBe('crypto.parent-hash-invalid');
  });

  it.each([
    ['DELETE', ''],
    ['POST', '/drop'],
  ])('drop by %s …%s: without a body, or with custom data', async (method, below) => {
    const first = await newWallet();
    const empty = await send(method, first.path + below);
    expect([empty.status, empty.text]).toEqual([204, '']);
    expect(empty.headers.get('content-type')).toMatch(/^text\/plain/);
    const second = await newWallet();
    const answer = await send(method, second.path + below, { custom: { reason: 'closed' } });
    expect(answer.status, answer.text).toBe(204);
    const changes = (await send('GET', `/wallets/${second.record.luid}/changes`)).parsed();
    const custom = changes.data[0].meta.proofs.findLast((one: { public: string }) => one.public === key.public).custom;
    expect(changes.data[0].meta.action).toBe('drop');
    expect(custom).toMatchObject({ status: 'dropped', reason: 'closed', record: 'wallet' });
  });

  it('POST /erase: signs as an erasure what the caller says', async () => {
    const { path, record } = await newWallet();
    expect((await send('DELETE', path)).status).toBe(204);
    const data = { luid: record.luid, change: 2, reason: 'asked for' };
    const answer = await send('POST', `/wallets/${record.luid}/erase`, { data });
    // The key may do everything, and erase is not part of that: what it has signed is understood.
    expect(answer.status, answer.text).toBe(403);
    expect(answer.parsed().data.reason).toBe('auth.forbidden');
  });

  it('POST proofs: reads the record, and sends a flat proof over its hash', async () => {
    const { path, record } = await newWallet();
    const answer = await send('POST', `${path}/proofs`, { custom: { status: 'active' } });
    expect(answer.status, answer.text).toBe(200);
    const proof = answer.parsed().meta.proofs.at(-1);
    expect(verifyProof(record.hash, proof)).toBe(true);
    expect(proof.custom).toMatchObject({ status: 'active', ledger: direct.ledger, record: 'wallet' });
    expect(answer.parsed().meta.status).toBe('active');
  });

  it('POST proofs: a body without custom is the custom data, and may be empty', async () => {
    const { path } = await newWallet();
    const answer = await send('POST', `${path}/proofs`, { status: 'active', note: 'seen' });
    expect(answer.parsed().meta.proofs.at(-1).custom).toMatchObject({ status: 'active', note: 'seen' });
    expect((await send('POST', `${path}/proofs`)).status).toBe(200);
    const sealed = await send('POST', '/ledger/proofs', { note: 'looked at' });
    expect(sealed.parsed().meta.proofs.at(-1).custom).toMatchObject({ note: 'looked at', record: 'ledger' });
  });

  it('POST sign of an intent is a proof, too', async () => {
    await send('POST', '/symbols', { data: { handle: 'usd', factor: 100 } });
    const issue = { action: 'issue', target: { handle: 'w-1' }, symbol: { handle: 'usd' }, amount: 5 };
    const data = { handle: 'i-1', claims: [issue], config: { commit: 'manual' } };
    expect((await send('POST', '/intents', { data })).status).toBe(201);
    const answer = await send('POST', '/intents/i-1/sign', { custom: { note: 'mine' } });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.parsed().meta.proofs.some((one: { custom: { note?: string } }) => one.custom.note === 'mine')).toBe(
      true,
    );
  });

  it('POST access/!check, anchors/!lookup and events/retry: signed without a status', async () => {
    const { path } = await newWallet();
    const check = await send('POST', `${path}/access/!check`, { data: { action: 'update' } });
    expect(check.status, check.text).toBe(200);
    expect(check.parsed().data.length).toBeGreaterThan(0);
    const encoded = await send('POST', `${path}/access/%21check`, { data: { action: 'update' } });
    expect(encoded.status).toBe(200);
    const lookup = await send('POST', `${path}/anchors/!lookup`, { data: { target: { handle: 'x' } } });
    expect([200, 404, 422], lookup.text).toContain(lookup.status);
    expect(lookup.parsed().data.reason ?? '').not.toMatch(/^(crypto|auth)/);
    const effect = {
      handle: 'watch',
      signal: 'wallet-created',
      action: { schema: 'webhook', endpoint: 'https://receiver.example/' },
    };
    expect((await send('POST', '/effects', { data: effect })).status).toBe(201);
    expect((await send('POST', '/effects/watch/events/retry')).status).toBe(202);
    expect((await send('POST', '/effects/watch/activate', { data: { maxAge: 5 } })).status).toBe(202);
  });

  it('POST oauth/token: forwarded untouched', async () => {
    const form = 'grant_type=client_credentials&client_id=a&client_secret=b';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const through = await send('POST', '/oauth/token', form, headers);
    const straight = await direct.call('POST', '/oauth/token', form, headers);
    expect([through.status, through.text]).toEqual([straight.status, straight.text]);
  });
});

describe('a body that is signed already', () => {
  it('passes as it is when it has the hash and a proof by this key', async () => {
    const custom = { ledger: direct.ledger as string, record: 'wallet', note: 'mine' };
    const body = signed({ handle: 'signed' }, key, custom);
    const answer = await send('POST', '/wallets', body);
    expect(answer.parsed().meta.proofs[0].custom).toEqual(body.meta.proofs[0]?.custom);
    const wrong = await send('POST', '/wallets', { ...signed({ handle: 'wrong' }, key), hash: 'b'.repeat(64) });
    expect(wrong.parsed().data.reason).toBe('crypto.hash-invalid');
  });

  it('keeps the proofs of others, and gets ours behind them', async () => {
    const other = newKey();
    const answer = await send('POST', '/wallets', signed({ handle: 'both' }, other, { note: 'theirs' }));
    expect(answer.parsed().meta.owners.slice(0, 2)).toEqual([other.public, key.public]);
  });

  it('passes a signed proof as it is', async () => {
    const { path, record } = await newWallet();
    const other = newKey();
    const answer = await send('POST', `${path}/proofs`, proofOver(record.hash, other, { note: 'theirs' }));
    expect(answer.parsed().meta.proofs.at(-1)).toMatchObject({ public: other.public, custom: { note: 'theirs' } });
  });
});

describe('paths and headers', () => {
  it('takes the base path, repeated by the caller or not', async () => {
    const { path, record } = await newWallet();
    expect((await send('GET', `/v2${path}`)).parsed()).toEqual(record);
    expect((await send('GET', '/v2')).status).toBe(200);
    expect((await send('PUT', `/v2${path}`, { data: { handle: record.data.handle } })).status).toBe(200);
  });

  it("lets the caller's own token win", async () => {
    const { path } = await newWallet();
    const answer = await send('GET', path, undefined, { authorization: 'Bearer nonsense' });
    expect([answer.status, answer.parsed().data.detail]).toEqual([401, 'Invalid token.']);
  });

  it('asks the caller for x-ledger, unless it was given one', async () => {
    const { path, record } = await newWallet();
    const without = await fetch(proxy.url + path);
    expect(without.status).toBe(404);
    expect(await without.text()).toContain('Active ledger is not set!');
    const filling = await startProxy(running.current.url, key, { ledger: direct.ledger });
    const with_ = await fetch(filling.url + path);
    expect(await with_.json()).toEqual(record);
    expect((await fetch(`${filling.url}/ledgers`)).status).toBe(200);
    await filling.stop();
  });

  it('signs without the name of the ledger where it is told to', async () => {
    const unbound = await startProxy(running.current.url, key, { isBound: false, ledger: direct.ledger });
    const response = await fetch(`${unbound.url}/wallets`, {
      method: 'POST',
      body: JSON.stringify({ data: { handle: 'unbound' } }),
    });
    const body = (await response.json()) as { meta: { proofs: { custom: object }[] } };
    expect(body.meta.proofs[0]?.custom).toEqual({ moment: expect.any(String), status: 'created', record: 'wallet' });
    await unbound.stop();
  });

  it('logs a line for each request, without what it holds', async () => {
    const { path } = await newWallet();
    await send('GET', `${path}?token=hidden`, undefined, { 'x-secret': 'hidden' });
    await send('POST', '/wallets', { data: { handle: 'logged', custom: { pin: 'hidden' } } });
    expect(proxy.log.at(-2)).toMatch(new RegExp(`^GET ${path} 200 \\d+ ms$`));
    expect(proxy.log.at(-1)).toMatch(/^POST \/wallets 201 \d+ ms$/);
    expect(proxy.log.join('\n')).not.toContain('hidden');
  });
});
