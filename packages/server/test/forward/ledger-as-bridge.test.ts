import { verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { newLedger, systemKeyOf, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { anchor, aspect, forwardingLedger, made, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const actions = ['read', 'query', 'create', 'update', 'drop', 'sign'];

/** A ledger that keeps its anchors in another one: the very interface that bridges are asked to have. */
async function ledgers(): Promise<{ client: TestClient; keeper: TestClient }> {
  const { url } = server.current;
  const keeper = await newLedger(url);
  await made(keeper, '/wallets', { handle: 'alice' });
  const client = await forwardingLedger(
    url,
    url.slice(0, -'/v2'.length),
    actions.map((action) => aspect(action, 'proxy')),
    {
      secure: [{ schema: 'header', key: 'x-ledger', value: '{{ secret.ledger }}' }],
      secret: { ledger: keeper.ledger ?? '' },
    },
  );
  return { client, keeper };
}

describe('a ledger as the bridge of another', () => {
  it('keeps anchors over their whole life', async () => {
    const { client, keeper } = await ledgers();
    const created = await client.create('/anchors', anchor('a'));
    expect(created.status, created.text).toBe(201);
    expect((await client.get('/anchors/a')).body).toEqual(created.body);
    const updated = await client.update('/anchors/a', created.body, anchor('a', { target: 'account:2' }));
    expect(updated.status, updated.text).toBe(200);
    const proved = await client.prove('/anchors/a', updated.body, { status: 'active' });
    expect([proved.status, proved.body.meta.status]).toEqual([200, 'active']);
    const [listed] = (await client.get('/anchors')).body.data;
    expect(listed).toEqual(proved.body);
    expect((await keeper.get('/anchors/a')).body.hash).toBe(proved.body.hash);
    expect((await client.drop('/anchors/a', proved.body)).status).toBe(204);
    expect((await keeper.get('/anchors/a')).status).toBe(404);
    expect((await client.get('/anchors/a')).status).toBe(404);
    expect(await stored(client, 'a')).toBe(false);
  });

  it('signs as its own system, which is not the other: each key is said to be whose it is', async () => {
    const { client, keeper } = await ledgers();
    const { hash, meta } = (await client.create('/anchors', anchor('a'))).body;
    for (const proof of meta.proofs) expect(verifyProof(hash, proof, native)).toBe(true);
    const signers = new Map(
      meta.proofs.map((proof: { public: string; signer?: string }) => [proof.public, proof.signer]),
    );
    expect(signers.get(systemKeyOf(client))).toBe('system');
    expect(signers.has(systemKeyOf(keeper))).toBe(true);
    expect(signers.get(systemKeyOf(keeper))).toBeUndefined();
    const there = (await keeper.get('/anchors/a')).body.meta.proofs;
    expect(there.at(-1)).toMatchObject({ public: systemKeyOf(keeper), signer: 'system' });
    expect(there.find((proof: { public: string }) => proof.public === systemKeyOf(client))).not.toHaveProperty(
      'signer',
    );
  });

  it('refuses with errors that both have signed', async () => {
    const { client, keeper } = await ledgers();
    await made(keeper, '/anchors', anchor('a'));
    const { status, body } = await client.create('/anchors', anchor('a', { target: 'other' }));
    expect([status, body.data.reason]).toEqual([409, 'record.duplicated']);
    const publics = body.meta.proofs.map((proof: { public: string }) => proof.public);
    expect(publics).toEqual([systemKeyOf(keeper), systemKeyOf(client)]);
  });
});
