import { describe, expect, it } from 'vitest';
import { newLedger } from '../support/client.js';
import { withServer } from '../support/server.js';

describe('the lifecycle of a wallet', () => {
  const server = withServer();

  it('creates, reads, updates, proves, drops, and keeps the history by luid', async () => {
    const client = await newLedger(server.current.url);
    const created = await client.create('/wallets', { handle: 'w-1', custom: { tier: 'gold' } });
    expect(created.status).toBe(201);
    expect((await client.get('/wallets/w-1')).text).toBe(created.text);
    expect((await client.get(`/wallets/${encodeURIComponent(created.body.luid)}`)).text).toBe(created.text);

    const updated = await client.update('/wallets/w-1', created.body, { handle: 'w-1', custom: { tier: 'silver' } });
    expect(updated.status).toBe(200);
    expect(updated.body.data.parent).toBe(created.body.hash);

    const proved = await client.prove('/wallets/w-1', updated.body, { status: 'active' });
    expect(proved.body.meta.status).toBe('active');

    expect((await client.drop('/wallets/w-1', proved.body)).status).toBe(204);
    expect((await client.get('/wallets/w-1')).status).toBe(404);
    const history = await client.get(`/wallets/${created.body.luid}/changes`);
    expect(history.body.data.map((item: { meta: { action: string } }) => item.meta.action)).toEqual([
      'drop',
      'update',
      'update',
      'create',
    ]);
  });
});
