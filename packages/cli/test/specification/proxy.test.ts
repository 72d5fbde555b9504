import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hash as hashOf, type JsonObject, type Proof, verifyProof } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, newLedger, proofOver, type TestClient } from '../../../server/test/support/client.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { withOwnServer } from '../../../server/test/support/server.js';
import { Cli, withFolder } from '../support/cli.js';
import { type RunningProxy, startProxy } from '../support/proxy.js';

const running = withOwnServer();
const folder = withFolder();
const key = newKey();
const record = signedByLedger(`$wlt.${'a'.repeat(17)}`, { handle: 'w' });

/** A record as a ledger of another key would serve it. */
function signedByLedger(luid: string, data: JsonObject) {
  const hash = hashOf(data);
  const proof = { ...proofOver(hash, newKey(), { luid, status: 'created' }), signer: 'system' };
  return { hash, luid, data, meta: { proofs: [proof] } };
}

/** What came through the proxy to a server that only takes note. */
interface Arrived {
  readonly request: IncomingMessage;
  readonly text: string;
}

let noting: Server;
let arrived: Arrived[];
let proxy: RunningProxy;
let real: { readonly client: TestClient; readonly proxy: RunningProxy };

beforeAll(async () => {
  noting = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    arrived.push({ request, text });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(record));
  }).listen(0, '127.0.0.1');
  await once(noting, 'listening');
  proxy = await startProxy(`http://127.0.0.1:${(noting.address() as AddressInfo).port}/v2`, key);
  const client = await newLedger(running.current.url, { key });
  real = { client, proxy: await startProxy(running.current.url, key, { ledger: client.ledger }) };
});
afterAll(async () => {
  await proxy.stop();
  await real.proxy.stop();
  noting.close();
});

async function send(method: string, path: string, body?: string): Promise<Arrived[]> {
  arrived = [];
  const headers = { 'x-ledger': 'acme', 'x-own': 'mine' };
  await fetch(proxy.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return arrived;
}

/** Through the proxy to the real server, whose refusal is a failure. */
async function done(method: string, path: string, body?: object) {
  const response = await fetch(real.proxy.url + path, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return text === '' ? undefined : JSON.parse(text);
}

describe('Authentication, 6: a local signing proxy', () => {
  it('A local signing proxy may stand between client and service', async () => {
    // The client knows no key, and no more of the service than the address of the proxy.
    const made = await done('POST', '/symbols', { data: { handle: 'usd', factor: 100 } });
    const straight = await real.client.get('/symbols/usd');
    expect(straight.body).toEqual(made);
    expect(made.meta.owners).toEqual([key.public]);
    expect(await (await fetch(`${real.proxy.url}/symbols/usd`)).text()).toBe(straight.text);
  });

  it('default port 4050, configurable', async () => {
    const cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
    await cli.done(['key', 'create', 'owner']);
    const child = cli.start(['proxy', '--signer', 'owner', '--server', running.current.url]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        said += text;
      });
    }
    // Another program of this machine may have the port.
    await eventually(() => expect(said).toMatch(/running on port 4050\.|Port 4050 cannot be opened: EADDRINUSE/));
    child.kill('SIGTERM');
    await once(child, 'close');
    const help = await cli.done(['proxy', '--help']);
    expect(help.out).toMatch(/--port <port>/);
  });

  it('It adds the Authorization header to all requests', async () => {
    for (const [method, path] of [
      ['GET', '/wallets'],
      ['GET', '/ledgers'],
      ['POST', '/wallets'],
      ['PUT', '/wallets/w'],
      ['DELETE', '/wallets/w'],
      ['POST', '/wallets/w/proofs'],
      ['POST', '/wallets/w/access/!check'],
    ] as const) {
      const requests = await send(method, path, method === 'GET' ? undefined : '{"data":{"handle":"w"}}');
      expect(requests.length).toBeGreaterThan(0);
      for (const { request } of requests) {
        const [, header = '', claims = ''] =
          /^Bearer ([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(request.headers.authorization ?? '') ?? [];
        const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
        expect(read(header)).toEqual({ alg: 'EdDSA', kid: key.public });
        const { iat, exp, ...others } = read(claims);
        expect(others).toEqual({ iss: 'cli', sub: 'signer:ada', aud: 'acme' });
        expect(exp - iat).toBe(3600);
      }
    }
  });

  it('its tokens are bound to no request (hsh), whose address at the service is another one', async () => {
    const [{ request }] = (await send('GET', '/wallets')) as [Arrived];
    const [, claims = ''] = (request.headers.authorization ?? '').split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).not.toHaveProperty('hsh');
    // A service that checks the binding takes them.
    expect((await fetch(`${real.proxy.url}/signers`)).status).toBe(200);
  });

  it('for POST and PUT and drop requests it computes hash and adds the signature proof', async () => {
    for (const [method, path, status] of [
      ['POST', '/wallets', 'created'],
      ['PUT', '/wallets/w', undefined],
      ['DELETE', '/wallets/w', 'dropped'],
      ['POST', '/wallets/w/drop', 'dropped'],
    ] as const) {
      const { text } = (await send(method, path, '{"data":{"handle":"w"}}')).at(-1) as Arrived;
      const { hash, data, meta } = JSON.parse(text);
      expect(hash).toBe(hashOf(data));
      expect(meta.proofs).toHaveLength(1);
      expect(verifyProof(hash, meta.proofs[0])).toBe(true);
      expect(meta.proofs[0].custom.status).toBe(status);
    }
    const made = await done('POST', '/wallets', { data: { handle: 'w' } });
    const updated = await done('PUT', '/wallets/w', { data: { handle: 'w', custom: { tier: 'gold' } } });
    expect(updated.data.parent).toBe(made.hash);
    await done('DELETE', '/wallets/w');
    expect((await real.client.get('/wallets/w')).status).toBe(404);
  });

  it('for proof endpoints it fetches the latest record and its hash and builds the proof, adding any custom data', async () => {
    const requests = await send('POST', '/wallets/w/proofs', '{"custom":{"status":"active","note":"seen"}}');
    expect(requests.map(({ request: { method, url } }) => `${method} ${url}`)).toEqual([
      'GET /v2/wallets/w',
      'POST /v2/wallets/w/proofs',
    ]);
    const proof: Proof = JSON.parse(requests[1]?.text ?? '');
    expect(Object.keys(proof).sort()).toEqual(['custom', 'digest', 'method', 'public', 'result']);
    expect(verifyProof(record.hash, proof)).toBe(true);
    expect(proof.custom).toMatchObject({ status: 'active', note: 'seen' });
    await done('POST', '/circles', { data: { handle: 'c' } });
    const latest = await done('PUT', '/circles/c', { data: { handle: 'c', custom: { n: 2 } } });
    const proved = await done('POST', '/circles/c/proofs', { custom: { status: 'active' } });
    expect([proved.hash, proved.meta.status]).toEqual([latest.hash, 'active']);
  });

  it('Plain GET requests pass through unchanged', async () => {
    const path = '/wallets?data.custom.a.$in%5B0%5D=%20x&page.limit=3';
    const [{ request, text }] = (await send('GET', path)) as [Arrived];
    expect([request.method, request.url, text]).toEqual(['GET', `/v2${path}`, '']);
    expect(request.headers).toMatchObject({ 'x-ledger': 'acme', 'x-own': 'mine' });
    expect(request.headers['content-type']).toBeUndefined();
  });

  it('It is meant for development and testing only', async () => {
    const { out } = await new Cli(folder.path).done(['proxy', '--help']);
    expect(out).toContain('For development and testing');
  });
});
