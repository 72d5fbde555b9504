import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, proofOver, type TestClient } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';

describe('the drop of a ledger, which is switched off (interface/README#not-served-yet)', () => {
  const server = withServer();
  let client: TestClient;
  let body: JsonObject;
  beforeAll(async () => {
    client = await newLedger(server.current.url);
    const { hash: parent, luid } = ok(await client.get('/ledger')).body;
    const hash = hashOf({ parent }, native);
    body = { luid, hash, data: { parent }, meta: { proofs: [proofOver(hash, client.key, { status: 'dropped' })] } };
  });

  it('is 404, and the ledger stays', async () => {
    const before = ok(await client.get('/ledger')).body;
    const answer = await client.call('DELETE', '/ledger', body);
    expect(answer.status).toBe(404);
    expectRefusal(answer, client, 'api.route-not-found', 'Route not found');
    expect(ok(await client.get('/ledger')).body).toEqual(before);
  });

  it.each<[string, (sent: JsonObject) => JsonObject, string]>([
    ['without its luid', ({ luid: _, ...others }) => others, "request/body must have required property 'luid'"],
    [
      'without the version',
      (sent) => ({ ...sent, data: {} }),
      "request/body/data must have required property 'parent'",
    ],
    ['without anything', () => ({}), "request/body must have required property 'data'"],
  ])('is 422 %s', async (_, change, detail) => {
    const answer = await client.call('DELETE', '/ledger', change(body));
    expect(answer.status).toBe(422);
    expect(answer.body.data).toMatchObject({
      reason: 'record.schema-invalid',
      detail: expect.stringContaining(`Schema validation error: ${detail}`),
    });
  });

  it('needs the header that names the ledger', async () => {
    const outside = client.in(undefined);
    for (const sent of [body, {}]) {
      const answer = await outside.call('DELETE', '/ledger', sent);
      expectRefusal(answer, outside, 'api.route-not-found', 'Active ledger is not set!');
    }
  });
});
