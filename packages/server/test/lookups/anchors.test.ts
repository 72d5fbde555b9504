import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { founded, GATE, underPolicies } from '../access-http/support.js';
import { divided } from '../domains/scene.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { anchorOf, handlesIn } from './scene.js';

const server = withServer();

describe('GET /wallets/{id}/anchors', () => {
  let client: TestClient;
  beforeAll(async () => {
    client = await newLedger(server.current.url);
    for (const handle of ['shop', 'other', 'till@shop']) await stored(client, 'wallet', { handle });
    for (const [wallet, handle] of [
      ['shop', 'a'],
      ['other', 'b'],
      ['shop', 'tel:385911'],
      ['till@shop', 'd'],
    ] as const) {
      await stored(client, 'anchor', anchorOf(wallet, handle, { custom: { of: wallet } }));
    }
  });

  it('is a signed list, without `page`, of the anchors that name the wallet, newest first', async () => {
    const answer = await client.get('/wallets/shop/anchors');
    const data = expectList(answer, client);
    expect(data.map((one) => one.data.handle)).toEqual(['tel:385911', 'a']);
    expect(data).toEqual(ok(await client.get('/anchors?data.wallet=shop')).body.data);
    const [, oldest] = data;
    ok(await client.update('/anchors/a', oldest!, { ...anchorOf('shop', 'a'), custom: { of: 'shop', n: 1 } }));
    expect(handlesIn(await client.get('/wallets/shop/anchors'))).toEqual(['a', 'tel:385911']);
  });

  it('is empty for an unknown wallet, and no 404', async () => {
    for (const id of ['ghost', 'a:b@ghost', '$wlt.-0000000000000000', 'x'.repeat(256), 'with%20space', 'a%2Fb']) {
      expect(expectList(await client.get(`/wallets/${id}/anchors`), client), id).toEqual([]);
    }
  });

  it('takes a luid for the wallet that has it, and an address for what it says', async () => {
    const { luid } = ok(await client.get('/wallets/other')).body;
    expect(handlesIn(await client.get(`/wallets/${luid}/anchors`))).toEqual(['b']);
    // The address leads to a wallet, and no anchor names the address.
    expect(handlesIn(await client.get('/wallets/tel:9@other/anchors'))).toEqual([]);
    expect(handlesIn(await client.get('/wallets/till%40shop/anchors'))).toEqual(['d']);
  });

  it('takes the filters of anchors, and refuses others', async () => {
    expect(handlesIn(await client.get('/wallets/shop/anchors?data.handle.$regex=tel'))).toEqual(['tel:385911']);
    expect(handlesIn(await client.get('/wallets/shop/anchors?data.custom.of=other'))).toEqual([]);
    expect(handlesIn(await client.get('/wallets/shop/anchors?page.limit=1'))).toHaveLength(2);
    const answer = await client.get('/wallets/shop/anchors?data.access=x');
    expectRefusal(answer, client, 'api.query-malformed', "Unsupported filters: 'data.access'");
  });

  it('changes nothing', async () => {
    const { text } = ok(await client.get('/wallets/shop/changes'));
    expectList(await client.get('/wallets/shop/anchors'), client);
    expect(JSON.parse(ok(await client.get('/wallets/shop/changes')).text).data).toEqual(JSON.parse(text).data);
  });
});

describe('GET /wallets/{id}/domains', () => {
  it('has nothing of its own: `[]` unless a bridge answers', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'domain', { handle: 'sales' });
    await stored(client, 'wallet', { handle: 'w@sales' });
    for (const id of ['w@sales', 'ghost', 'a%2Fb']) {
      expect(expectList(await client.get(`/wallets/${id}/domains`), client)).toEqual([]);
    }
  });
});

describe('who may list what is known of a wallet', () => {
  const PATHS = { anchor: '/wallets/shop/anchors', domain: '/wallets/shop/domains' };

  it.each(Object.entries(PATHS))('%s: needs what every list of the kind needs', async (kind, path) => {
    const client = await founded(server.current.url);
    const detail = `Cannot query ${kind}.`;
    expectRefusal(
      await client.get(path),
      client,
      'auth.unauthorized',
      'Missing token: send one in the header authorization; a write may be signed instead.',
    );
    expectRefusal(await client.get(path, bearer(newKey())), client, 'auth.forbidden', detail);
    expect(ok(await client.get(path, bearer(client.key))).body.data).toEqual([]);
    // The right to read wallets is none to list what is known of them.
    const readers = await founded(server.current.url, [{ action: 'read', record: 'wallet' }]);
    expectRefusal(await readers.get(path, bearer(newKey())), readers, 'auth.forbidden', detail);
  });

  it('leaves out, in silence, what the caller may not read', async () => {
    const client = await founded(server.current.url, [GATE]);
    await stored(client, 'wallet', { handle: 'shop' });
    const reader = newKey();
    const access = [{ action: 'read', bearer: { $signer: { public: reader.public } } }];
    await stored(client, 'anchor', anchorOf('shop', 'open', { access: [{ action: 'read' }] }));
    await stored(client, 'anchor', anchorOf('shop', 'theirs', { access }));
    await stored(client, 'anchor', anchorOf('shop', 'closed'));
    const path = '/wallets/shop/anchors';
    expect(handlesIn(await client.get(path))).toEqual(['open']);
    expect(handlesIn(await client.get(path, bearer(reader)))).toEqual(['theirs', 'open']);
    expect(handlesIn(await client.get(path, bearer(client.key)))).toEqual(['closed', 'theirs', 'open']);
  });

  it('shows under policies what a value lets the caller query', async () => {
    const reader = newKey();
    const values: JsonObject[] = [
      { action: 'access', record: 'ledger' },
      { action: 'read', record: 'anchor' },
      {
        action: 'query',
        record: 'anchor',
        bearer: { $signer: { public: reader.public } },
        filter: { schema: { $ne: 'x' } },
      },
    ];
    const client = await underPolicies(server.current.url, [{ handle: 'readers', values }]);
    await stored(client, 'wallet', { handle: 'shop' });
    await stored(client, 'anchor', anchorOf('shop', 'a'));
    expect(handlesIn(await client.get('/wallets/shop/anchors', bearer(reader)))).toEqual(['a']);
    expect(handlesIn(await client.get('/wallets/shop/anchors', bearer(newKey())))).toEqual([]);
  });

  it('ends at the borders of a domain', async () => {
    const { founder, admin } = await divided(server.current.url);
    await stored(founder, 'wallet', { handle: 'shop' });
    await stored(founder, 'anchor', anchorOf('shop', 'a'));
    await stored(founder, 'anchor', anchorOf('shop', 'b@sales'));
    await stored(founder, 'anchor', anchorOf('shop', 'c@bank'));
    expect(handlesIn(await admin.get('/wallets/shop/anchors', bearer(admin.key)))).toEqual(['b@sales']);
  });

  it('is of one ledger only', async () => {
    const [one, other] = [await newLedger(server.current.url), await newLedger(server.current.url)];
    for (const client of [one, other]) await stored(client, 'wallet', { handle: 'shop' });
    const { luid } = await stored(one, 'anchor', anchorOf('shop', 'a'));
    expect(ok(await one.get('/wallets/shop/anchors')).body.data[0].luid).toBe(luid);
    const { luid: wallet } = ok(await one.get('/wallets/shop')).body;
    for (const id of ['shop', wallet]) expect(handlesIn(await other.get(`/wallets/${id}/anchors`))).toEqual([]);
  });
});
