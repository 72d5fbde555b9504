import { isLuid } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { tokenLifetime } from '../../src/base/token-lifetime.js';
import { dataLimits } from '../../src/kinds/data.js';
import { audienceLimits } from '../../src/kinds/ledger.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, signed, type TestClient } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { claims, Keys, NOW, provided, REFUSED, selfSigned, verify } from './tokens.js';

const server = withServer();

/** The status of a read with a token of that claim `aud`. */
const statusOf = async (client: TestClient, aud: string) =>
  (await client.get('/signers', bearer(client.key, { aud }))).status;

describe('the audience of a token', () => {
  it('may be anything where the ledger names none, as the public client needs, but another ledger by its luid', async () => {
    const [client, other] = [await newLedger(server.current.url), await newLedger(server.current.url)];
    const { luid } = ok(await client.get('/ledger')).body;
    const { luid: theirs } = ok(await other.get('/ledger')).body;
    expect(isLuid(theirs, 'ldg')).toBe(true);
    // A handle is anybody's to choose: it makes no token of others invalid.
    for (const aud of ['test', other.ledger!, client.ledger!, luid, server.current.url, '$wlt.-3DaeYcFVgpE2tH4R']) {
      expect([aud, await statusOf(client, aud)]).toEqual([aud, 200]);
    }
    const answer = await client.get('/signers', bearer(client.key, { aud: theirs }));
    expectRefusal(answer, client, 'auth.unauthorized', 'Invalid token.');
    expect(await statusOf(client, '$ldg.-3DaeYcFVgpE2tH4R')).toBe(401);
  });

  it('is no ledger outside of ledgers: a token that was taken shows no ledgers of its bearer', async () => {
    const client = await newLedger(server.current.url);
    const { luid } = ok(await client.get('/ledger')).body;
    const outside = client.in(undefined);
    expect((await outside.get('/ledgers', bearer(client.key, { aud: luid }))).status).toBe(401);
    expect((await outside.get('/ledgers', bearer(client.key, { aud: server.current.url }))).status).toBe(200);
  });

  it('is one of those that the ledger names, from the moment on that it does', async () => {
    const client = await newLedger(server.current.url);
    const record = ok(await client.get('/ledger')).body;
    const named = [client.ledger!, record.luid, server.current.url];
    ok(await client.update('/ledger', record, { ...record.data, config: { 'token.audiences': named } }));
    for (const aud of named) expect([aud, await statusOf(client, aud)]).toEqual([aud, 200]);
    for (const aud of ['test', `${client.ledger}x`, client.ledger!.toUpperCase(), `${server.current.url}/`]) {
      expect([aud, await statusOf(client, aud)]).toEqual([aud, 401]);
    }
    // Of writes too, whose proofs alone would do.
    const body = signed({ handle: 'w' }, client.key);
    expect((await client.call('POST', '/wallets', body, bearer(client.key, { aud: 'test' }))).status).toBe(401);
    ok(await client.create('/wallets', { handle: 'w' }));
  });

  it.each([
    ['no list', 'acme'],
    ['an empty list', []],
    ['an empty text', ['']],
    ['a number', [7]],
    ['more than 32', Array.from({ length: audienceLimits.count + 1 }, (_, index) => `a${index}`)],
    ['2,049 characters', ['a'.repeat(dataLimits.url + 1)]],
  ])('is not named by %s: 422', async (_, audiences) => {
    const client = await newLedger(server.current.url);
    const record = ok(await client.get('/ledger')).body;
    const config = { 'token.audiences': audiences };
    const answer = await client.update('/ledger', record, { ...record.data, config });
    expect([answer.status, answer.body.data.reason]).toEqual([422, 'record.schema-invalid']);
  });

  it('of a provider may be a list, of which one is enough, and which names this ledger where it names ledgers', async () => {
    const [mine, theirs] = ['$ldg.-3DaeYcFVgpE2tH4R', '$ldg.-3DaeYcFVgpE2tH4S'];
    const keys = new Keys(mine);
    const taken = (aud: string[], audiences?: string[]) =>
      verify(provided(claims({ iss: 'idp', aud })), { keys: Object.assign(new Keys(mine), { audiences }) }).then(
        () => true,
        () => false,
      );
    expect(keys.ledger).toBe(mine);
    expect(await taken(['x', 'y'])).toBe(true);
    expect(await taken(['x', theirs])).toBe(false);
    expect(await taken([mine, theirs])).toBe(true);
    expect(await taken(['x', 'acme'], ['acme'])).toBe(true);
    expect(await taken(['x', 'y'], ['acme'])).toBe(false);
    expect(await taken(['acme', theirs], ['acme', theirs])).toBe(false);
  });
});

describe('the life of a self-signed token', () => {
  it('is a day at most, with `jti` or without', async () => {
    const day = tokenLifetime.selfSigned;
    expect(day).toBe(86_400);
    expect((await verify(selfSigned(claims({ exp: NOW + day })))).kind).toBe('self-signed-token');
    for (const jti of [undefined, 'once']) {
      await expect(verify(selfSigned(claims({ exp: NOW + day + 1, jti })))).rejects.toMatchObject(REFUSED);
    }
    // However long ago it began.
    await expect(verify(selfSigned(claims({ iat: NOW - day, exp: NOW + 1 })))).rejects.toMatchObject(REFUSED);
    // A provider says itself how long what it says is good.
    expect((await verify(provided(claims({ iss: 'idp', exp: NOW + 30 * day })))).kind).toBe('oauth2-token');
  });

  it('is refused with a hint', async () => {
    const client = await newLedger(server.current.url);
    const now = Math.floor(Date.now() / 1000);
    const answer = await client.get(
      '/signers',
      bearer(newKey(), { iat: now, exp: now + tokenLifetime.selfSigned + 1 }),
    );
    expectRefusal(answer, client, 'auth.unauthorized', 'Invalid token.');
    expect(answer.body.data.custom.hint).toContain('TOKEN_MAX_LIFE');
  });
});
