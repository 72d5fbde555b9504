import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectList, expectRefusal } from '../support/checks.js';
import { dropOf, newKey, newLedger, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();

async function withCircle(): Promise<{ client: TestClient; alice: TestKey; link: RecordEnvelope }> {
  const client = await newLedger(server.current.url);
  const alice = newKey();
  await stored(client, 'signer', { handle: 'alice', public: alice.public, format: 'ed25519-raw' });
  await stored(client, 'circle', { handle: 'staff' });
  const answer = await client.create('/circles/staff/signers', { circle: 'staff', signer: 'alice' });
  expect(answer.status).toBe(200);
  return { client, alice, link: answer.body };
}

describe('a circle signer (contract 03 §7)', () => {
  it('is read by the luid of the link, and by handle and luid of its signer, under handle and luid of its circle', async () => {
    const { client, link } = await withCircle();
    const [signer, circle] = await Promise.all([client.get('/signers/alice'), client.get('/circles/staff')]);
    for (const staff of ['staff', circle.body.luid]) {
      for (const id of [link.luid, 'alice', signer.body.luid]) {
        expect((await client.get(`/circles/${staff}/signers/${id}`)).body).toEqual(link);
      }
      const list = await client.get(`/circles/${staff}/signers`);
      expect(expectList(list, client, { index: 0, limit: 20 })).toEqual([link]);
    }
    expect(link.meta.status).toBe('created');
  });

  it('is listed under its own circle alone', async () => {
    const { client } = await withCircle();
    await stored(client, 'circle', { handle: 'guests' });
    await stored(client, 'signer', { handle: 'bob', public: newKey().public, format: 'ed25519-raw' });
    for (const signer of ['alice', 'bob']) await stored(client, 'circle-signer', { circle: 'guests', signer });
    const signers = async (circle: string) =>
      (await client.get(`/circles/${circle}/signers`)).body.data.map(({ data }: RecordEnvelope) => data.signer);
    expect(await signers('staff')).toEqual(['alice']);
    expect(await signers('guests')).toEqual(['bob', 'alice']);
  });

  it.each(['luid', 'handle', 'signer'] as const)(
    'is dropped by %s, in both forms, and can be made again',
    async (by) => {
      const { client, link } = await withCircle();
      const signer = (await client.get('/signers/alice')).body;
      const id = { luid: link.luid, handle: 'alice', signer: signer.luid }[by];
      const path = `/circles/staff/signers/${id}`;
      expect((await client.call('DELETE', path, dropOf(link, client.key))).status).toBe(204);
      expectRefusal(await client.get(path), client, 'record.not-found', 'Circle signer not found');
      const again = await stored(client, 'circle-signer', { circle: 'staff', signer: 'alice' });
      const posted = `/circles/staff/signers/${by === 'luid' ? again.luid : id}/drop`;
      expect((await client.call('POST', posted, dropOf(again, client.key))).status).toBe(204);
      expect((await client.get('/circles/staff/signers')).body.data).toEqual([]);
    },
  );

  it('gives its signer what the circle may, until it is dropped: then nothing, at once', async () => {
    const founder = newKey();
    const alice = newKey();
    const staff = { signer: { $circle: 'staff' } };
    const client = await newLedger(server.current.url, {
      key: founder,
      access: [
        { action: 'any', record: 'any', signer: { public: founder.public } },
        { action: 'read', record: 'any', bearer: { $signer: { public: founder.public } } },
        { action: 'access', ...staff },
        { action: 'create', record: 'wallet', ...staff },
        { action: 'read', record: 'wallet', bearer: { $signer: { $circle: 'staff' } } },
      ],
    });
    await stored(client, 'signer', { handle: 'alice', public: alice.public, format: 'ed25519-raw' });
    await stored(client, 'circle', { handle: 'staff' });
    const member = client.as(alice);
    const refused = 'Cannot create wallet.';
    expectRefusal(await member.create('/wallets', { handle: 'w-1' }), client, 'auth.forbidden', refused);
    const link = await stored(client, 'circle-signer', { circle: 'staff', signer: 'alice' });
    expect((await member.create('/wallets', { handle: 'w-1' })).status).toBe(201);
    expect((await member.get('/wallets', bearer(alice))).body.data).toHaveLength(1);
    expect((await client.drop('/circles/staff/signers/alice', link)).status).toBe(204);
    expectRefusal(await member.create('/wallets', { handle: 'w-2' }), client, 'auth.forbidden', refused);
    expectRefusal(await member.get('/wallets', bearer(alice)), client, 'auth.forbidden', 'Cannot query wallet.');
  });

  it('refuses a second link of the same two', async () => {
    const { client } = await withCircle();
    const answer = await client.create('/circles/staff/signers', {
      circle: 'staff',
      signer: 'alice',
      custom: { a: 1 },
    });
    expectRefusal(answer, client, 'record.duplicated', 'Circle Signer with handle alice already exists.');
    ok(await client.get('/circles/staff/signers/alice'));
  });
});
