import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { hash as hashOf, signProof } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { newKey, newLedger, systemKeyOf, type TestClient } from '../../../server/test/support/client.js';
import { withOwnServer } from '../../../server/test/support/server.js';
import { Cli, withFolder } from '../support/cli.js';
import { type Lies, startLiar } from '../support/liar.js';
import { startProxy } from '../support/proxy.js';

const running = withOwnServer();
const folder = withFolder();
const key = newKey();
const thief = newKey();
let direct: TestClient;
let system: string;

beforeAll(async () => {
  direct = await newLedger(running.current.url, { key });
  await direct.create('/wallets', { handle: 'shop' });
  await direct.create('/wallets', { handle: 'other' });
  for (const handle of ['one', 'two']) await direct.create('/circles', { handle });
  await direct.create('/signers', { handle: 'ada', public: key.public, format: 'ed25519-raw' });
  for (const circle of ['one', 'two']) await direct.create(`/circles/${circle}/signers`, { signer: 'ada', circle });
  system = systemKeyOf(direct);
});

const isRecord = (path: string) => path.endsWith('/wallets/shop');
const evil = { handle: 'shop', custom: { owner: 'the thief' } };

/** A record that the liar has made up, signed by a key that calls itself the ledger's. */
// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
function forged(record: any) {
  const hash = hashOf(evil);
  const custom = { moment: new Date().toISOString(), status: 'created', luid: record.luid };
  const proof = { ...signProof({ hash, custom, ...thief }), signer: 'system' };
  return { ...record, hash, data: evil, meta: { ...record.meta, proofs: [proof] } };
}

const LIES: readonly [string, Lies][] = [
  ['another hash', { body: (body, path) => (isRecord(path) ? { ...body, hash: hashOf(evil) } : body) }],
  [
    'other data with its hash',
    { body: (body, path) => (isRecord(path) ? { ...body, data: evil, hash: hashOf(evil) } : body) },
  ],
  ['another record', { path: (path) => path.replace(/shop$/, 'other') }],
  ['another luid', { body: (body, path) => (isRecord(path) ? { ...body, luid: `$wlt.${'A'.repeat(17)}` } : body) }],
  ['a record without proofs', { body: (body, path) => (isRecord(path) ? { ...body, meta: {} } : body) }],
  ['a record that another key has signed', { body: (body, path) => (isRecord(path) ? forged(body) : body) }],
];

const WRITES = [
  ['POST', '/wallets/shop/proofs', '{"status": "active"}'],
  ['PUT', '/wallets/shop', '{"data": {"handle": "shop"}}'],
  ['DELETE', '/wallets/shop', undefined],
] as const;

describe('a server that answers with something else before a write is signed', () => {
  it.each(LIES)('%s: the proxy signs nothing, and answers 502', async (_, lies) => {
    const liar = await startLiar(running.current.url, lies);
    const pinned = { ledger: direct.ledger!, system };
    const proxy = await startProxy(liar.url, key, { ledger: direct.ledger, pinned });
    for (const [method, path, body] of WRITES) {
      const answer = await fetch(proxy.url + path, { method, ...(body === undefined ? {} : { body }) });
      expect([method, answer.status]).toEqual([method, 502]);
      expect(await answer.text()).toContain('The answer does not verify');
    }
    expect(liar.asked.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
    await proxy.stop();
    await liar.stop();
  });

  it('is held to the key that the ledger had first, where none was noted', async () => {
    let isLying = false;
    const liar = await startLiar(running.current.url, {
      body: (body, path) => (isLying && isRecord(path) ? forged(body) : body),
    });
    const proxy = await startProxy(liar.url, key, { ledger: direct.ledger });
    const sign = () => fetch(`${proxy.url}/wallets/shop/proofs`, { method: 'POST', body: '{}' });
    expect((await sign()).status).toBe(200);
    isLying = true;
    expect((await sign()).status).toBe(502);
    await proxy.stop();
    await liar.stop();
  });

  it('may not answer with the membership of another circle', async () => {
    const liar = await startLiar(running.current.url, {
      path: (path, method) => (method === 'GET' ? path.replace('/circles/one/', '/circles/two/') : path),
    });
    const proxy = await startProxy(liar.url, key, { ledger: direct.ledger });
    const answer = await fetch(`${proxy.url}/circles/one/signers/ada`, { method: 'DELETE' });
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('lies below two, and not below one');
    await proxy.stop();
    await liar.stop();
  });

  it.each(LIES)('%s: `countersign curl` ends with 5', async (_, lies) => {
    const liar = await startLiar(running.current.url, lies);
    const cli = new Cli(await mkdtemp(join(folder.path, 'home-')), { COUNTERSIGN_PASSWORD: 'open sesame' });
    const seed = Buffer.from(key.secret).toString('hex');
    await cli.done(['key', 'import', 'ada', '--file', '-'], { input: seed });
    await cli.done(['ledger', 'select', direct.ledger!, '--server', liar.url, '--signer', 'ada']);
    const before = liar.asked.length;
    for (const [method, path, body] of WRITES) {
      const data = body === undefined ? [] : ['-d', body];
      const outcome = await cli.call(['curl', method, path, ...data]);
      expect([outcome.code, outcome.err]).toEqual([5, expect.stringContaining('The answer does not verify')]);
    }
    expect(liar.asked.slice(before).every(({ method }) => method === 'GET')).toBe(true);
    await liar.stop();
  });
});
