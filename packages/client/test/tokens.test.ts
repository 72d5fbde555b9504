import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { oauthLedger } from '../../server/test/oauth/scene.js';
import { withServer } from '../../server/test/support/server.js';
import { connect, type Schemas, TokenError } from '../src/index.js';
import { makeLedger } from './support/ledger.js';

const server = withServer();

/** A ledger that its signer alone may use, and that anyone may read who has a token of the key. */
async function closed() {
  const made = await makeLedger(server.current.url);
  const access: Schemas['ledger-data']['access'] = [
    { action: 'any', record: 'any', signer: { public: made.signer.public } },
    { action: 'any', record: 'any', bearer: { $signer: { public: made.signer.public } } },
  ];
  await made.ledger.record.update(undefined, (data) => ({ ...data, access }));
  const sent: (string | undefined)[] = [];
  const noting: typeof fetch = (url, init) => {
    sent.push(new Headers(init?.headers).get('authorization') ?? undefined);
    return fetch(url, init);
  };
  return { ...made, ledger: made.connect({ fetch: noting as never }), sent, noting: noting as never };
}

const claimsOf = (header = '') => JSON.parse(Buffer.from(header.split('.')[1] ?? '', 'base64url').toString());

describe('self-signed tokens', () => {
  it('go with reads and not with writes, and are kept', async () => {
    const { ledger, sent, handle, signer } = await closed();
    await ledger.wallets.create({ handle: 'shop' });
    expect(sent).toEqual([undefined]);
    await ledger.wallets.get('shop');
    await ledger.wallets.list().all();
    expect(sent).toHaveLength(3);
    expect(sent[1]).toMatch(/^Bearer /);
    expect(sent[1]).toBe(sent[2]);
    const { iss, aud, iat, exp } = claimsOf(sent[1]);
    expect({ iss, aud, lives: exp - iat }).toEqual({ iss: signer.public, aud: handle, lives: 300 });
  });

  it('are made anew before they end', async () => {
    const { connect, sent, noting } = await closed();
    const ledger = connect({ fetch: noting, token: { lifetime: 31 } });
    await ledger.wallets.list().all();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await ledger.wallets.list().all();
    expect(new Set(sent).size).toBe(2);
  });

  it('are bound to one request each, where that is asked for', async () => {
    const { connect, sent, noting } = await closed();
    const ledger = connect({ fetch: noting, token: { isBound: true, onWrites: true, sub: 'signer:ada' } });
    await ledger.wallets.create({ handle: 'shop' });
    await ledger.wallets.list({ filter: { 'data.handle': 'shop' } }).all();
    expect(new Set(sent).size).toBe(2);
    expect(claimsOf(sent[1])).toMatchObject({ hsh: expect.stringMatching(/^[0-9a-f]{64}$/), sub: 'signer:ada' });
  });

  it('are left out on demand', async () => {
    const { connect } = await closed();
    const refused = connect({ token: false }).wallets.get('shop');
    await expect(refused).rejects.toMatchObject({ reason: expect.stringMatching(/not-found|unauthorized/) });
    await expect(connect({ token: false }).wallets.list().all()).rejects.toMatchObject({ reason: 'auth.unauthorized' });
  });

  it('may come from elsewhere', async () => {
    const { connect, sent, noting } = await closed();
    const ledger = connect({ fetch: noting, token: () => 'no.to.ken' });
    await expect(ledger.wallets.list().all()).rejects.toMatchObject({ reason: 'auth.unauthorized' });
    expect(sent[0]).toBe('Bearer no.to.ken');
  });
});

describe('client credentials', () => {
  it('are exchanged within the bound on answers', async () => {
    let read = 0;
    const piece = new TextEncoder().encode(' '.repeat(64 * 1024));
    const endless = createHttpServer((_, response) => {
      const more = () => {
        // It ends somewhere, so that a reader without a bound fails and does not hang.
        while (read < 4 * 1024 * 1024) {
          read += piece.length;
          if (!response.write(piece)) return;
        }
        response.end('{}');
      };
      response.on('drain', more);
      more();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = endless.address() as AddressInfo;
      const token = { clientId: 'app', clientSecret: 'secret' };
      const options = { server: `http://127.0.0.1:${port}`, ledger: 'acme', token, attempts: 1, maxBytes: 100_000 };
      await expect(connect(options).wallets.get('shop')).rejects.toThrow('larger than 100000 bytes');
    } finally {
      endless.closeAllConnections();
      endless.close();
    }
  });

  it('are exchanged for a token, which signs writes by itself', async () => {
    const { client, credentials } = await oauthLedger(server.current.url);
    const token = { clientId: credentials.id, clientSecret: credentials.secret };
    const ledger = connect({ server: server.current.url, ledger: client.ledger ?? '', token, attempts: 1 });
    const made = await ledger.wallets.create({ handle: 'shop' });
    expect(made.meta.proofs[0]).toMatchObject({ signer: 'app', origin: 'oauth2-token' });
    const signed = await ledger.wallets.sign(made, { status: 'active' });
    expect(signed.meta.status).toBe('active');
    await ledger.wallets.update('shop', { handle: 'shop', custom: { a: 1 } });
    await ledger.wallets.drop('shop', { confirm: true });
  });

  it('leave nobody to tell what a lost answer said: an update by a function is not made anew then', async () => {
    const { client, credentials } = await oauthLedger(server.current.url);
    const token = { clientId: credentials.id, clientSecret: credentials.secret };
    const options = { server: server.current.url, ledger: client.ledger ?? '', token };
    const other = connect(options);
    const made = await other.wallets.create({ handle: 'shop', custom: { n: 0 } });
    let isLost = false;
    const losing = async (url: string, init: RequestInit) => {
      const answer = await fetch(url, init);
      if (init.method !== 'PUT' || isLost) return answer;
      isLost = true;
      await other.wallets.update('shop', (data) => ({ ...data, custom: { ...data.custom, other: true } }));
      throw new TypeError('lost');
    };
    const update = connect({ ...options, fetch: losing }).wallets.update(made, (data) => {
      return { ...data, custom: { n: Number(data.custom?.n) + 1 } };
    });
    await expect(update).rejects.toMatchObject({ reason: 'crypto.parent-hash-invalid', mayBeDone: true });
    expect((await other.wallets.get('shop')).data.custom).toEqual({ n: 1, other: true });
  });

  it('are shown by the ledger that made them, to who may see them', async () => {
    const { ledger, signer } = await makeLedger(server.current.url);
    await ledger.signers.create({ handle: 'ada', public: signer.public, format: 'ed25519-raw' });
    await ledger.signers.factors('ada').create({ handle: 'app', schema: 'oauth-client-credentials' });
    const { meta } = await ledger.signers.factors('ada').get('app', { include: 'meta.secret' });
    expect(meta.secret).toEqual({ clientSecret: expect.stringMatching(/^.{43}$/) });
  });

  it('that are unknown are refused by the token endpoint', async () => {
    const { connect } = await closed();
    const ledger = connect({ token: { clientId: 'x', clientSecret: 'y' } });
    const error = await ledger.wallets
      .list()
      .all()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TokenError);
    expect(error).toMatchObject({ error: 'invalid_client', status: 401 });
  });
});
