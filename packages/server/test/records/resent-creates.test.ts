import { describe, expect, it } from 'vitest';
import { dropOf, newKey, newLedger, signed } from '../support/client.js';
import { withServer } from '../support/server.js';

describe('a create sent again after the record was dropped', () => {
  const server = withServer();

  it('does not bring a membership back that was taken away, and a newly signed one does', async () => {
    const client = await newLedger(server.current.url);
    const alice = newKey();
    await client.create('/signers', { handle: 'alice', public: alice.public, format: 'ed25519-raw' });
    await client.create('/circles', { handle: 'admins' });
    const membership = signed({ circle: 'admins', signer: 'alice' }, client.key);
    const made = await client.call('POST', '/circles/admins/signers', membership);
    expect(made.status).toBe(200);
    expect((await client.call('POST', '/circles/admins/signers', membership)).text).toBe(made.text);
    const drop = await client.call('DELETE', '/circles/admins/signers/alice', dropOf(made.body, client.key));
    expect(drop.status).toBe(204);

    const again = await client.call('POST', '/circles/admins/signers', membership);
    expect(again.status).toBe(422);
    expect(again.body.data).toEqual({
      reason: 'record.invalid',
      detail: 'A proof in the request was used for another record. Sign anew, with a custom.moment of its own.',
    });
    expect((await client.get('/circles/admins/signers/alice')).status).toBe(404);
    expect((await client.create('/circles/admins/signers', { circle: 'admins', signer: 'alice' })).status).toBe(200);
  });

  it('does not bring back a policy that was changed before it was dropped', async () => {
    const client = await newLedger(server.current.url);
    const data = { handle: 'p', schema: 'access', record: 'wallet', values: [{ action: 'read' }] };
    const body = signed(data, client.key);
    const made = await client.call('POST', '/policies', body);
    const changed = await client.update('/policies/p', made.body, { ...data, values: [] });
    expect((await client.drop('/policies/p', changed.body)).status).toBe(204);
    expect((await client.call('POST', '/policies', body)).status).toBe(422);
    expect((await client.create('/policies', data)).status).toBe(201);
  });

  it('does not make a record of a kind that decides nothing anew either', async () => {
    const client = await newLedger(server.current.url);
    const body = signed({ handle: 'w' }, client.key);
    const made = await client.call('POST', '/wallets', body);
    expect((await client.drop('/wallets/w', made.body)).status).toBe(204);
    expect((await client.call('POST', '/wallets', body)).status).toBe(422);
    const again = await client.create('/wallets', { handle: 'w' });
    expect(again.status).toBe(201);
    expect(again.body.luid).not.toBe(made.body.luid);
  });
});
