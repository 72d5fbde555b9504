import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

const bridge = { handle: 'b', schema: 'rest', config: { server: 'https://bridge.example/v2' }, secure: [] };

/** Of a kind that may be renamed. */
const effect = (handle: string) => ({
  handle,
  signal: 'wallet-created',
  action: { endpoint: 'https://example.com' },
});

const ledger = (): Promise<TestClient> => newLedger(server.current.url);

describe('a wallet that anchors name (interface/wallets#drop)', () => {
  const detail = "Cannot drop wallet 'w' with anchors associated with it";

  it('is not dropped until they are gone', async () => {
    const client = await ledger();
    const wallet = await stored(client, 'wallet', { handle: 'w' });
    const anchors = [];
    for (const handle of ['z', 'tel:1@acc', 'a']) {
      anchors.push(await stored(client, 'anchor', { handle, wallet: 'w', target: 'jane' }));
    }
    const custom = { anchors: ['z', 'tel:1@acc', 'a'] };
    const drops = [await client.drop('/wallets/w', wallet), await client.drop(`/wallets/${wallet.luid}`, wallet)];
    for (const drop of drops) expectRefusal(drop, client, 'record.drop-rejected', detail, custom);
    expect((await client.get('/wallets/w/changes')).body.page.total).toBe(1);
    const other = ok(await client.update('/wallets/w', wallet, { handle: 'w', custom: {} })).body;

    const [first, second, third] = anchors;
    expect((await client.drop('/anchors/z', first!)).status).toBe(204);
    const fewer = { anchors: ['tel:1@acc', 'a'] };
    expectRefusal(await client.drop('/wallets/w', other), client, 'record.drop-rejected', detail, fewer);
    await stored(client, 'wallet', { handle: 'elsewhere' });
    ok(await client.update('/anchors/tel:1@acc', second!, { ...second!.data, wallet: 'elsewhere' }));
    expect((await client.drop('/anchors/a', third!)).status).toBe(204);
    expect((await client.drop('/wallets/w', other)).status).toBe(204);
  });

  it('is not the one of the same name in another ledger', async () => {
    const [here, there] = await Promise.all([ledger(), ledger()]);
    const wallet = await stored(here, 'wallet', { handle: 'w' });
    await stored(there, 'wallet', { handle: 'w' });
    await stored(there, 'anchor', { handle: 'a', wallet: 'w', target: 'jane' });
    expect((await here.drop('/wallets/w', wallet)).status).toBe(204);
  });
});

describe('a bridge that wallets use (interface/bridges#drop)', () => {
  it('is not dropped until they are gone', async () => {
    const client = await ledger();
    const record = await stored(client, 'bridge', bridge);
    const wallet = await stored(client, 'wallet', { handle: 'w', bridge: 'b' });
    const detail = 'Bridge b is in use by wallets. Please remove it from the wallets first.';
    expectRefusal(await client.drop('/bridges/b', record), client, 'record.drop-rejected', detail);
    expect((await client.get('/bridges/b/changes')).body.page.total).toBe(1);
    ok(await client.update('/wallets/w', wallet, { handle: 'w' }));
    expect((await client.drop('/bridges/b', record)).status).toBe(204);
  });
});

describe('a handle', () => {
  it('may be changed to one that is free, and the record is then found by it alone', async () => {
    const client = await ledger();
    const first = await stored(client, 'effect', effect('old'));
    const renamed = ok(await client.update('/effects/old', first, effect('new'))).body;
    expect(renamed.luid).toBe(first.luid);
    expect((await client.get('/effects/new')).body).toEqual(renamed);
    expectRefusal(await client.get('/effects/old'), client, 'record.not-found', 'Effect not found');
    expect((await client.get('/effects/new/changes')).body.page.total).toBe(2);
    ok(await client.create('/effects', effect('old')));
  });

  it('is not taken from another record', async () => {
    const client = await ledger();
    const first = await stored(client, 'wallet', { handle: 'a' });
    await stored(client, 'wallet', { handle: 'b' });
    const answer = await client.update('/wallets/a', first, { handle: 'b' });
    expectRefusal(answer, client, 'record.duplicated', 'Wallet with handle b already exists.');
    expect((await client.get('/wallets/a')).body).toEqual(first);
    const second = await stored(client, 'effect', effect('a'));
    await stored(client, 'effect', effect('b'));
    const renamed = await client.update('/effects/a', second, effect('b'));
    expectRefusal(renamed, client, 'record.duplicated', 'Effect with handle b already exists.');
    // Handles are unique within a kind only.
    ok(await client.create('/symbols', { handle: 'a', factor: 1 }));
  });

  it('stays where rules and records refer to it', async () => {
    const client = await ledger();
    const kept = {
      anchor: ['/anchors', { handle: 'b', wallet: 'w', target: 'x' }],
      bridge: ['/bridges', bridge],
      circle: ['/circles', { handle: 'b' }],
      domain: ['/domains', { handle: 'b' }],
      policy: ['/policies', { handle: 'b', schema: 'labels', values: [] }],
      schema: ['/schemas', { handle: 'b', record: 'anchor-lookup', format: 'json-schema', schema: {} }],
      signer: ['/signers', { handle: 'b', public: client.key.public, format: 'ed25519-raw' }],
      symbol: ['/symbols', { handle: 'b', factor: 1 }],
      wallet: ['/wallets', { handle: 'b' }],
    } as const;
    await stored(client, 'wallet', { handle: 'w' });
    for (const [kind, [path, data]] of Object.entries(kept)) {
      const record = await stored(client, kind as keyof typeof kept, data as never);
      const answer = await client.update(`${path}/b`, record, { ...data, handle: 'c' } as never);
      expectRefusal(answer, client, 'record.update-rejected', `Cannot change handle of ${kind} 'b'`);
      expect((await client.get(`${path}/b`)).body).toEqual(record);
    }
  });
});
