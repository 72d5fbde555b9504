import { randomBytes } from 'node:crypto';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { factorLimits } from '../../src/kinds/signer-factor.js';
import { founded, GATE, outcome, statusSet } from '../access-http/support.js';
import { newKey, newLedger, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

interface Scene {
  readonly founder: TestClient;
  readonly factor: RecordEnvelope;
  /** The key of the factor. */
  readonly key: TestKey;
}

const PATH = '/signers/alice/factors/second';

/** A ledger where `alice` may make wallets and read them, and a factor of hers. */
async function scene(more: JsonObject = {}): Promise<Scene> {
  const founder = await founded(server.current.url, [
    GATE,
    { action: 'create', record: 'wallet', signer: { handle: 'alice' } },
    { action: 'read', record: 'wallet', bearer: { $signer: { handle: 'alice' } } },
  ]);
  await stored(founder, 'signer', { handle: 'alice', public: newKey().public, format: 'ed25519-raw' });
  const key = newKey();
  const pair = { schema: 'key-pair', format: 'ed25519-raw', public: key.public, ...more };
  const factor = await stored(founder, 'signer-factor', { handle: 'second', signer: 'alice', ...pair });
  return { founder, factor, key };
}

async function current({ founder }: Scene, path: string): Promise<RecordEnvelope> {
  return ok(await founder.get(path, bearer(founder.key))).body;
}

let made = 0;

/** What becomes of a wallet that the key signs, and of one read with its token. */
async function outcomes({ founder, key }: Pick<Scene, 'founder' | 'key'>): Promise<string[]> {
  made += 1;
  await stored(founder, 'wallet', { handle: `r-${made}` });
  return [
    outcome(await founder.as(key).create('/wallets', { handle: `w-${made}` })),
    outcome(await founder.get(`/wallets/r-${made}`, bearer(key))),
  ];
}

const GRANTED = ['201', '200'];
const REFUSED = ['403 Cannot create wallet.', '403 Cannot read wallet.'];

describe('the ed25519 key of a key-pair factor (interface/signers#key-pairs)', () => {
  it("counts as the signer's own, signed with or in a token, and proofs name the signer", async () => {
    const { founder, key } = await scene();
    const wallet = ok(await founder.as(key).create('/wallets', { handle: 'w' })).body;
    expect(wallet.meta.proofs[0]).toMatchObject({ public: key.public, signer: 'alice' });
    expect(wallet.meta.owners).toEqual([key.public]);
    expect((await founder.get('/wallets/w', bearer(key))).status).toBe(200);
    const unsigned = { data: { handle: 'v' }, meta: { proofs: [{ custom: { status: 'created' } }] } };
    const left = ok(await founder.call('POST', '/wallets', unsigned, bearer(key))).body;
    expect(left.meta.proofs[0]).toMatchObject({ signer: 'alice', origin: 'self-signed-token' });
  });

  it('counts from the request after it was registered on, though it was a stranger before', async () => {
    const { founder } = await scene();
    const key = newKey();
    expect(await outcomes({ founder, key })).toEqual(REFUSED);
    const pair = { schema: 'key-pair', format: 'ed25519-raw', public: key.public };
    await stored(founder, 'signer-factor', { handle: 'third', signer: 'alice', ...pair });
    expect(await outcomes({ founder, key })).toEqual(GRANTED);
  });

  it.each(['inactive', 'blocked'])('does not while the factor is %s', async (status) => {
    const here = await scene();
    expect(await outcomes(here)).toEqual(GRANTED);
    await statusSet(here.founder, PATH, here.factor, status);
    expect(await outcomes(here)).toEqual(REFUSED);
    await statusSet(here.founder, PATH, here.factor, 'active');
    expect(await outcomes(here)).toEqual(GRANTED);
  });

  it('does not while the signer is blocked', async () => {
    const here = await scene();
    expect(await outcomes(here)).toEqual(GRANTED);
    await statusSet(here.founder, '/signers/alice', await current(here, '/signers/alice'), 'blocked');
    expect(await outcomes(here)).toEqual(REFUSED);
  });

  it('does no more once the factor is dropped', async () => {
    const here = await scene();
    expect(await outcomes(here)).toEqual(GRANTED);
    expect((await here.founder.drop(PATH, here.factor)).status).toBe(204);
    expect(await outcomes(here)).toEqual(REFUSED);
  });

  it('does no more once the factor has another', async () => {
    const here = await scene();
    expect(await outcomes(here)).toEqual(GRANTED);
    const key = newKey();
    const { secret: _, ...data } = here.factor.data;
    ok(await here.founder.update(PATH, here.factor, { ...data, public: key.public }));
    expect(await outcomes(here)).toEqual(REFUSED);
    expect(await outcomes({ ...here, key })).toEqual(GRANTED);
  });

  it('cannot be said to be one for RS256', async () => {
    const { founder, factor } = await scene();
    const { secret: _, ...data } = factor.data;
    const answer = await founder.update(PATH, factor, { ...data, format: 'rsa-der' });
    expect(outcome(answer)).toBe('422 The key pair cannot be used: The public key cannot be read');
  });

  it('is that of the signer who registers with it and proves to have it, whoever had it as a factor before', async () => {
    const here = await scene();
    expect(await outcomes(here)).toEqual(GRANTED);
    const access = [{ action: 'any', signer: { public: here.key.public } }];
    const data = { handle: 'bob', public: here.key.public, format: 'ed25519-raw', access };
    const bob = await stored(here.founder, 'signer', data);
    expect(await outcomes(here)).toEqual(GRANTED);
    ok(await here.founder.as(here.key).prove('/signers/bob', bob, {}));
    expect(await outcomes(here)).toEqual(REFUSED);
  });

  it('completes a quorum', async () => {
    const { founder, key } = await scene();
    const values = [{ quorum: [{ handle: 'alice' }] }];
    await stored(founder, 'policy', { handle: 'wallets', schema: 'status', record: 'wallet', values });
    const wallet = await stored(founder, 'wallet', { handle: 'w', access: [{ action: 'any' }] });
    expect((await founder.prove('/wallets/w', wallet, { status: 'active' })).body.meta.status).toBe('created');
    expect((await founder.as(key).prove('/wallets/w', wallet, { status: 'active' })).body.meta.status).toBe('active');
  });
});

describe('the key of a factor that is no key pair', () => {
  const OTHERS = ['otp', 'totp', 'fido2'];

  /** Alice's factors of other schemas, each of which holds the key in a form that a key pair would sign with. */
  async function held(key: TestKey, order: readonly string[]): Promise<TestClient> {
    const { founder } = await scene();
    const schema = { handle: 'fido2', record: 'signer-factor', format: 'json-schema', schema: {} };
    await stored(founder, 'schema', schema);
    for (const one of order) {
      const data = { signer: 'alice', format: 'ed25519-raw', public: key.public };
      await stored(founder, 'signer-factor', { handle: `of-${one}`, schema: one, ...data });
    }
    return founder;
  }

  it.each(OTHERS)('%s: authenticates nobody, neither in proofs nor in tokens', async (schema) => {
    const key = newKey();
    const founder = await held(key, [schema]);
    expect(await outcomes({ founder, key })).toEqual(REFUSED);
    const wallet = ok(await founder.create('/wallets', { handle: 'w', access: [{ action: 'any' }] })).body;
    const proved = ok(await founder.as(key).prove('/wallets/w', wallet, { note: 1 })).body;
    expect(proved.meta.proofs.at(-1)).not.toHaveProperty('signer');
    const unsigned = { data: { handle: 'v' }, meta: { proofs: [{ custom: { status: 'created' } }] } };
    const left = await founder.call('POST', '/wallets', unsigned, bearer(key));
    expect(outcome(left)).toBe('422 Ledger mutations must be signed.');
  });

  it('does not stand before a key pair that has the same', async () => {
    const key = newKey();
    const founder = await held(key, OTHERS);
    const pair = { schema: 'key-pair', format: 'ed25519-raw', public: key.public };
    const factor = await stored(founder, 'signer-factor', { handle: 'real', signer: 'alice', ...pair });
    expect(await outcomes({ founder, key })).toEqual(GRANTED);
    // A factor that was a key pair and is none any more counts as little.
    const data = { ...factor.data, schema: 'otp' };
    ok(await founder.update('/signers/alice/factors/real', factor, data));
    expect(await outcomes({ founder, key })).toEqual(REFUSED);
  });
});

describe('the public key of a factor', () => {
  it(`has at most ${factorLimits.publicKey} characters`, async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'signer', { handle: 's', public: client.key.public, format: 'ed25519-raw' });
    const longest = randomBytes((factorLimits.publicKey / 4) * 3).toString('base64');
    const factor = { schema: 'otp', signer: 's', format: 'rsa-der' };
    const answers = [
      await client.create('/signers/s/factors', { handle: 'longest', ...factor, public: longest }),
      await client.create('/signers/s/factors', { handle: 'longer', ...factor, public: `${longest}AAAA` }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 422]);
    const start = encodeURIComponent(longest.slice(0, 100));
    expect((await client.get(`/signers/s/factors?data.public.$regex=${start}`)).body.data).toHaveLength(1);
  });
});
