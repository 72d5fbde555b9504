import { beforeEach, describe, expect, it } from 'vitest';
import { withBridge } from '../forward/bridge.js';
import { anchorOf, answerWith, lookUp, storeBridged } from '../lookups/scene.js';
import { expectList } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

describe('Operations', () => {
  it('POST /wallets/{id}/anchors/!lookup | envelope with data.wallet and proofs | { hash, data: [anchor], meta }', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'wallet', { handle: 'shop' });
    const anchor = await stored(client, 'anchor', anchorOf('shop', 'a'));
    expect(expectList(await lookUp(client, 'shop'), client)).toEqual([anchor]);
  });
});

describe('Operation rules', () => {
  it('7. Anchor lookup: when the wallet has a bridge with the anchors trait, the lookup is forwarded to the bridge', async () => {
    const client = await newLedger(server.current.url);
    await storeBridged(client, bridge.url, { traits: ['anchors'] });
    answerWith(bridge, { handle: 'a', wallet: 'acc', target: 'account:1' });
    expect(expectList(await lookUp(client, 'acc'), client)).toMatchObject([{ data: { handle: 'a' } }]);
    expect([bridge.only.method, bridge.only.url]).toEqual(['POST', '/wallets/acc/anchors/!lookup']);
  });
});
