import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { listLimits } from '../../src/lists/list-limits.js';
import { everythingFor, underPolicies } from '../access-http/support.js';
import { expectList, expectRefusal } from '../support/checks.js';
import { newKey, newLedger, type TestAnswer, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { anchorOf, lookUp } from './scene.js';

const server = withServer();

/** Makes anchors of the wallet `shop`, some at a time. */
async function make(client: TestClient, from: number, to: number, custom = {}): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  const lane = async () => {
    for (let next = numbers.shift(); next !== undefined; next = numbers.shift()) {
      await stored(client, 'anchor', anchorOf('shop', `a-${next}`, { custom: { ...custom, next } }));
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

/** Where rules show everything at once; and under policies, where each record is judged by itself. */
const LEDGERS: [string, () => Promise<TestClient>][] = [
  ['open to all', () => newLedger(server.current.url)],
  ['under policies', () => underPolicies(server.current.url, [])],
];

describe.each(LEDGERS)('the anchors of a wallet in a ledger %s', (_, open) => {
  let client: TestClient;
  const own = () => client.get('/wallets/shop/anchors', bearer(client.key));
  const most = listLimits.page.greatest;

  beforeAll(async () => {
    client = await open();
    await stored(client, 'wallet', { handle: 'shop' });
    await make(client, 0, most);
  }, 120_000);

  it(`are ${most} in one answer; where they are one more, filters or pages show them`, async () => {
    expect(expectList(await own(), client)).toHaveLength(most);
    expect(expectList(await lookUp(client, 'shop'), client)).toHaveLength(most);
    await make(client, most, most + 1);
    const detail = `The list holds more than ${most} records. Add filters, or list the records by pages.`;
    for (const answer of [await own(), await lookUp(client, 'shop')]) {
      expectRefusal(answer, client, 'api.query-malformed', detail);
    }
    const one = await client.get(`/wallets/shop/anchors?data.custom.next=${most}`, bearer(client.key));
    expect(ok(one).body.data).toHaveLength(1);
    expect(ok(await lookUp(client, 'shop', { custom: { next: most } })).body.data).toHaveLength(1);
  });
});

describe('the bytes of the anchors of a wallet', () => {
  it('are those of a page at most', async () => {
    const key = newKey();
    const client = await newLedger(server.current.url, { key, access: everythingFor(key) });
    await stored(client, 'wallet', { handle: 'shop' });
    const text = randomBytes(500_000).toString('hex');
    await make(client, 0, 8, { text });
    const refused = (answer: TestAnswer) =>
      expectRefusal(
        answer,
        client,
        'api.query-malformed',
        /^The list holds \d{7} bytes, and an answer holds 8388608 at most\. Add filters, or list the records by pages\.$/,
      );
    const answers = async () => [await client.get('/wallets/shop/anchors', bearer(key)), await lookUp(client, 'shop')];
    for (const answer of await answers()) expect(expectList(answer, client)).toHaveLength(8);
    await make(client, 8, 9, { text });
    for (const answer of await answers()) refused(answer);
  });
});
