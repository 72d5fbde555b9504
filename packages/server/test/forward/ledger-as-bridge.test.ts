import { verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { listLimits } from '../../src/lists/list-limits.js';
import { newLedger, systemKeyOf, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { anchor, aspect, forwardingLedger, made, stored } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const writes = ['create', 'update', 'drop', 'sign'];
const actions = ['read', 'query', ...writes];

/**
 * A ledger that keeps its anchors in another one. That has the interface which bridges are asked to have, but takes an
 * update or drop by the luid alone that it gave the record: only `proxy` is without another (interface/forwarding).
 */
async function ledgers(strategy = 'proxy'): Promise<{ client: TestClient; keeper: TestClient }> {
  const { url } = server.current;
  const keeper = await newLedger(url);
  await made(keeper, '/wallets', { handle: 'alice' });
  const client = await forwardingLedger(
    url,
    url.slice(0, -'/v2'.length),
    (strategy === 'proxy' ? actions : writes).map((action) => aspect(action, strategy)),
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

  it('shows of its list the page that it shows to whoever asks for none', async () => {
    const { client, keeper } = await ledgers();
    const handles = Array.from({ length: listLimits.page.default + 1 }, (_, index) => `a-${index}`);
    for (const handle of handles) await made(keeper, '/anchors', anchor(handle));
    expect((await client.get('/anchors?page.limit=100')).body.data).toHaveLength(listLimits.page.default);
    expect((await client.get('/anchors?page.index=1')).body.data).toEqual([]);
  });
});

describe('a ledger as the bridge of one that keeps anchors too', () => {
  it('validate: takes creates and proofs, but no update or drop, which name another luid than it gave', async () => {
    const { client, keeper } = await ledgers('validate');
    const created = await client.create('/anchors', anchor('a'));
    expect(created.status, created.text).toBe(201);
    expect((await keeper.get('/anchors/a')).body.luid).not.toBe(created.body.luid);
    expect((await client.prove('/anchors/a', created.body, { note: 'seen' })).status).toBe(200);
    const { body: record } = await client.get('/anchors/a');
    for (const answer of [
      await client.update('/anchors/a', record, anchor('a', { target: 'account:2' })),
      await client.drop('/anchors/a', record),
    ]) {
      const detail = 'Luid in the request does not match the luid of the record';
      expect([answer.status, answer.body.data]).toEqual([422, { reason: 'record.invalid', detail }]);
    }
    expect((await client.get('/anchors/a')).body).toEqual(record);
    expect((await keeper.get('/anchors/a')).body.hash).toBe(record.hash);
  });

  it('synchronize: makes luids of its own too', async () => {
    const { client, keeper } = await ledgers('synchronize');
    const created = await client.create('/anchors', anchor('a'));
    expect(created.status, created.text).toBe(201);
    expect((await keeper.get('/anchors/a')).body.luid).not.toBe(created.body.luid);
    const answer = await client.update('/anchors/a', created.body, anchor('a', { target: 'account:2' }));
    expect([answer.status, answer.body.data.reason]).toEqual([422, 'record.invalid']);
  });
});
