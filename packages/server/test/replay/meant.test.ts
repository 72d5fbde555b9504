import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { withBridge } from '../forward/bridge.js';
import { anchor, aspect, forwardingLedger } from '../forward/scene.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, OPEN, proofOver, signed, TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();

const OTHER_LEDGER = 'Ledger in the proof does not match the ledger of the request';
const OTHER_RECORD = 'Record in the proof does not match the record of the request';

describe('a proof that says which ledger and kind it is for counts for nothing else', () => {
  it('the create of a ledger names the handle that it is to have', async () => {
    const client = new TestClient(server.current.url);
    const handle = `named-${process.pid}-${Date.now()}`;
    const body = (custom: JsonObject) => signed({ handle, signer: 'system', access: OPEN }, client.key, custom);
    for (const [custom, detail] of [
      [{ ledger: 'x' }, OTHER_LEDGER],
      [{ record: 'wallet' }, OTHER_RECORD],
    ] as const) {
      expectRefusal(await client.call('POST', '/ledgers', body(custom)), client, 'record.invalid', detail);
    }
    ok(await client.call('POST', '/ledgers', body({ ledger: handle, record: 'ledger' })));
  });

  it('what is left to a token to sign is held to it too', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'signer', { handle: 's', public: client.key.public, format: 'ed25519-raw' });
    const unsigned = (custom: JsonObject) => ({ data: { handle: 'w' }, meta: { proofs: [{ custom }] } });
    const refused = await client.call('POST', '/wallets', unsigned({ ledger: 'x' }), bearer(client.key));
    expectRefusal(refused, client, 'record.invalid', OTHER_LEDGER);
    ok(await client.call('POST', '/wallets', unsigned({ record: 'wallet' }), bearer(client.key)));
    const proof = await client.call('POST', '/wallets/w/proofs', { custom: { record: 'x' } }, bearer(client.key));
    expectRefusal(proof, client, 'record.invalid', OTHER_RECORD);
  });
});

describe('before a bridge is asked', () => {
  it.each(['validate', 'proxy'])('a proof that is meant for something else is refused: %s', async (strategy) => {
    bridge.reset();
    const actions = ['create', 'update', 'drop', 'sign'];
    const values = actions.map((action) => aspect(action, strategy));
    const client = await forwardingLedger(server.current.url, bridge.url, values);
    const data = anchor('a');
    const record = ok(await client.create('/anchors', data)).body;
    bridge.received.length = 0;
    const custom = { ledger: 'x' };
    const sent = [
      await client.call('POST', '/anchors', signed(anchor('b'), client.key, custom)),
      await client.call('PUT', '/anchors/a', signed({ ...data, parent: record.hash }, client.key, custom)),
      await client.call('POST', '/anchors/a/proofs', proofOver(record.hash, client.key, custom)),
      await client.call(
        'DELETE',
        '/anchors/a',
        signed({ parent: record.hash }, client.key, custom, { luid: record.luid }),
      ),
    ];
    for (const answer of sent) expectRefusal(answer, client, 'record.invalid', OTHER_LEDGER);
    expect(bridge.received).toEqual([]);
  });

  it.each(['validate', 'synchronize'])('and one that was used for another record: %s', async (strategy) => {
    bridge.reset();
    const actions = ['create', 'update', 'drop', 'sign'];
    const values = actions.map((action) => aspect(action, strategy));
    const client = await forwardingLedger(server.current.url, bridge.url, values);
    const create = signed(anchor('a'), client.key);
    const first: RecordEnvelope = ok(await client.call('POST', '/anchors', create)).body;
    const update = signed({ ...anchor('a', { custom: { n: 1 } }), parent: first.hash }, client.key, {});
    const updated = ok(await client.call('PUT', '/anchors/a', update)).body;
    const drop = signed({ parent: updated.hash }, client.key, { status: 'dropped' }, { luid: updated.luid });
    expect((await client.call('DELETE', '/anchors/a', drop)).status).toBe(204);
    bridge.received.length = 0;
    const detail = /^A proof in the request was used for another record\./;
    expectRefusal(await client.call('POST', '/anchors', create), client, 'record.invalid', detail);
    expect(bridge.received).toEqual([]);
    const again: RecordEnvelope = ok(await client.create('/anchors', anchor('a'))).body;
    bridge.received.length = 0;
    expectRefusal(await client.call('PUT', '/anchors/a', update), client, 'record.invalid', detail);
    const [proof] = create.meta.proofs;
    expectRefusal(await client.call('POST', '/anchors/a/proofs', proof), client, 'record.invalid', detail);
    const dropped = await client.call('DELETE', '/anchors/a', { ...drop, luid: again.luid });
    // Over the hash of the version after the update, which the anchor is not at.
    expect(dropped.status).toBe(422);
    expect(bridge.received).toEqual([]);
  });
});
