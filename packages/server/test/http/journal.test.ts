import { beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

describe('the request journal, which is not kept (interface/ledgers#server-information)', () => {
  const server = withServer();
  let client: TestClient;
  beforeAll(async () => {
    client = await newLedger(server.current.url, { access: [], config: { 'request.journalingEnabled': true } });
  });

  const PATHS = ['', '?page.limit=1&data.source=x', '/ghost', `/$req.-${'a'.repeat(16)}`, '/a%2Fb'];

  it.each(PATHS)('says so of /system/requests%s to every caller, signed by the ledger', async (end) => {
    const path = `/system/requests${end}`;
    for (const headers of [{}, bearer(client.key), bearer(newKey()), { authorization: 'Bearer none' }]) {
      expectRefusal(await client.get(path, headers), client, 'api.route-not-found', 'Journaling is not enabled');
    }
    const outside = client.in(undefined);
    expectRefusal(await outside.get(path), outside, 'api.route-not-found', 'Active ledger is not set!');
    const unknown = await outside.get(path, { 'x-ledger': 'nowhere-at-all' });
    expectRefusal(unknown, outside, 'api.route-not-found', 'Server does not host requested ledger');
  });

  it.each([
    ['POST', '/system/requests'],
    ['DELETE', '/system/requests/a'],
    ['GET', '/system/requests/a/changes'],
    ['GET', '/system'],
  ])('has no %s %s', async (method, path) => {
    const answer = await client.call(method, path);
    expectRefusal(answer, client, 'api.route-not-found', 'Route not found');
    expect(answer.status).toBe(404);
  });
});
