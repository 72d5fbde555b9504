import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { Kind, OperationName } from '../../src/kinds/kind.js';
import { expectRefusal } from '../support/checks.js';
import { proofOver, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { testedKinds } from '../support/kinds.js';
import { changed, make, ok, setScene, withSecret } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

const OTHER_LEDGER = 'Ledger in the proof does not match the ledger of the request';
const OTHER_RECORD = 'Record in the proof does not match the record of the request';

/** What a proof may say it is for, and what is said where that is something else. */
function wrong({ name }: Kind): [JsonObject, string][] {
  const other = name === 'wallet' ? 'symbol' : 'wallet';
  return [
    [{ ledger: 'another' }, OTHER_LEDGER],
    [{ ledger: '$ldg.-0000000000000000' }, OTHER_LEDGER],
    [{ ledger: '' }, OTHER_LEDGER],
    [{ ledger: null }, OTHER_LEDGER],
    [{ ledger: { handle: 'l' } }, OTHER_LEDGER],
    [{ record: other }, OTHER_RECORD],
    [{ record: 'any' }, OTHER_RECORD],
    [{ record: null }, OTHER_RECORD],
    [{ record: [name] }, OTHER_RECORD],
  ];
}

describe('a proof that says which ledger and kind it is for counts for nothing else', () => {
  it.each(testedKinds.map((kind) => [kind.name, kind] as const))('%s', async (name, kind) => {
    const scene = await setScene(server.current.url, name);
    const { client, maker, collection, path, data, secret } = scene;
    const create = (custom: JsonObject) =>
      withSecret(signed(data, client.key, { status: 'created', ...custom }), secret);
    const refuse = (answer: TestAnswer, detail: string, by: TestClient = client) =>
      expectRefusal(answer, by, 'record.invalid', detail);
    for (const [custom, detail] of wrong(kind)) {
      refuse(await maker.call('POST', collection, create(custom)), detail, maker);
    }
    // A second proof is held to what it says as well.
    const two = create({});
    two.meta.proofs.push(proofOver(two.hash, client.key, { record: 'x' }));
    refuse(await maker.call('POST', collection, two), OTHER_RECORD, maker);

    const { luid } = (await client.get('/ledger')).body ?? {};
    let record: RecordEnvelope;
    if (name === 'ledger') {
      record = await make(scene);
    } else {
      record = ok(await maker.call('POST', collection, create({ ledger: luid, record: name }))).body;
    }
    const check = (custom: JsonObject) => signed({ action: 'read' }, client.key, custom);
    for (const [custom, detail] of wrong(kind).filter((_, index) => index % 3 === 0)) {
      const update = signed({ ...changed(data), parent: record.hash }, client.key, custom, { luid: record.luid });
      const drop = signed({ parent: record.hash }, client.key, custom, { luid: record.luid });
      const proof = proofOver(record.hash, client.key, custom);
      const sent: [OperationName, string, string, JsonObject][] = [
        ['update', 'PUT', path, withSecret(update, secret) as unknown as JsonObject],
        ['drop', 'DELETE', path, drop as unknown as JsonObject],
        ['proof', 'POST', `${path}/proofs`, proof as unknown as JsonObject],
        ['check', 'POST', `${path}/access/!check`, check(custom) as unknown as JsonObject],
      ];
      for (const [operation, method, at, body] of sent) {
        if (kind.lifecycle.operations.includes(operation)) refuse(await client.call(method, at, body), detail);
      }
    }
    const right = { ledger: client.ledger!, record: name };
    if (kind.lifecycle.operations.includes('check'))
      ok(await client.call('POST', `${path}/access/!check`, check(right)));
    if (kind.lifecycle.operations.includes('proof')) {
      record = ok(await client.call('POST', `${path}/proofs`, proofOver(record.hash, client.key, right))).body;
    }
    if (kind.lifecycle.operations.includes('update')) {
      const body = signed({ ...changed(data), parent: record.hash }, client.key, right, { luid: record.luid });
      const updated = await client.call('PUT', path, withSecret(body, secret));
      if (updated.status === 200) record = updated.body;
    }
    if (kind.lifecycle.operations.includes('drop')) {
      const body = signed({ parent: record.hash }, client.key, { ...right, status: 'dropped' }, { luid: record.luid });
      expect((await client.call('DELETE', path, body)).status).toBe(204);
    }
  });
});
