import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { newKey, newLedger, OPEN, signed, TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';
import { withLiar } from './support/liar.js';

const running = withOwnServer({ consoleServers: [] });
const elsewhere = withOwnServer();
const liar = withLiar(() => running.current.url);
const browser = withBrowser();

describe.skipIf(lacksChromium)('a server that lies, in Chromium', () => {
  let client: TestClient;
  let page: Page;
  beforeEach(async () => {
    liar.lie = undefined;
    liar.status = undefined;
    client = await newLedger(running.current.url);
    for (const handle of ['alice', 'bob']) await client.create('/wallets', { handle, custom: { tier: 'gold' } });
    page = await browser.page();
    await open('');
    await sees(page, 'First visit');
  });

  const address = (path: string) => `${consoleOf(liar.url)}#/l/${client.ledger}${path}`;

  /** Loads the console anew: it remembers what the browser keeps, and nothing else. */
  async function open(path: string): Promise<void> {
    await page.goto('about:blank');
    await page.goto(address(path));
  }

  /** Goes on to what the console has not asked for yet, which takes a fifth of the processor. */
  async function go(path: string): Promise<void> {
    await page.goto(address(path));
  }

  it('is caught altering a record: the step that fails is open, and what differs is marked', async () => {
    liar.lie = (body, path) => {
      if (path === '/v2/wallets/alice') body.data.custom.tier = 'iron';
      return body;
    };
    await go('/wallet/alice');
    await sees(page, 'This record does not hold');
    await sees(page, 'Its hash is not that of its data: something was altered.');
    expect(await page.locator('.compare mark').count()).toBeGreaterThan(40);
    expect(await page.getByText('Checked here: the data').count()).toBe(0);
  });

  it('is caught with a signature of another', async () => {
    liar.lie = (body, path) => {
      if (path === '/v2/wallets/alice') {
        const { meta } = signed(body.data, client.as(client.key).key);
        body.meta.proofs[0].result = meta.proofs[0]?.result;
      }
      return body;
    };
    await go('/wallet/alice');
    await sees(page, 'A proof does not hold.');
    await sees(page, 'The signature is not that of this key over the digest.');
  });

  it('is caught giving a record a status that its proofs rule out, alone and in a list', async () => {
    const { body: record } = await client.get('/wallets/alice');
    await client.prove('/wallets/alice', record, { status: 'blocked' });
    liar.lie = (body, path) => {
      if (path === '/v2/wallets/alice') body.meta.status = 'active';
      if (path.startsWith('/v2/wallets?')) for (const { meta } of body.data) meta.status = 'active';
      return body;
    };
    await go('/wallet/alice');
    await sees(page, 'Its status is not one that its proofs give.');
    expect(await page.getByText('Checked here: the data').count()).toBe(0);
    await go('/wallet');
    await sees(page, 'This answer is not genuine');
    expect(await page.getByText('each checked here').count()).toBe(0);
  });

  it('does not lend a signature the name that the server writes beside it', async () => {
    liar.lie = (body, path) => {
      if (path === '/v2/wallets/alice') body.meta.proofs[0].signer = 'ada';
      return body;
    };
    await go('/wallet/alice');
    await sees(page, 'Checked here: the data is unaltered');
    await sees(page, client.key.public.slice(0, 12));
    await sees(page, 'All 2 proofs hold.');
    expect(await page.locator('.proof-head').getByText('ada').count()).toBe(0);
  });

  it('is caught signing by another system key: a red page, and nothing of the ledger', async () => {
    const other = await newLedger(running.current.url);
    const { body: record } = await other.get('/ledger');
    liar.lie = (body, path) => (path === '/v2/ledger' ? record : body);
    await open('/wallet/alice');
    await sees(page, 'This is not the ledger that this browser knows');
    await sees(page, record.meta.proofs.at(-1).public);
    expect(await page.getByText('alice').count()).toBe(0);
    await page.getByRole('button', { name: 'Forget what was seen' }).click();
    await expect.poll(() => page.getByText('This is not the ledger').count()).toBe(0);
  });

  it.each(['by the luid of the other', 'by a name that nobody has'])(
    'is caught giving another ledger the name of one that is known, asked %s',
    async (way) => {
      const other = new TestClient(elsewhere.current.url, newKey());
      const { body } = await other.create('/ledgers', { handle: client.ledger ?? '', signer: 'system', access: OPEN });
      const { body: record } = await other.in(client.ledger ?? '').get('/ledger');
      liar.lie = (answer, path) => (path === '/v2/ledger' ? record : answer);
      liar.status = 200;
      const isByLuid = way.includes('luid');
      await page.goto('about:blank');
      await page.goto(
        `${consoleOf(liar.url)}#/l/${isByLuid ? encodeURIComponent(body.luid) : client.ledger?.toUpperCase()}`,
      );
      await sees(page, isByLuid ? 'This is not the ledger that this browser knows' : 'This answer is not genuine');
      expect(await page.getByText('Overview', { exact: true }).count()).toBe(1);
      expect(await page.getByText('First visit').count()).toBe(0);
    },
  );

  it('is caught leaving a record out of a list', async () => {
    liar.lie = (body, path) => {
      if (path.startsWith('/v2/wallets?')) body.data = body.data.slice(1);
      return body;
    };
    await go('/wallet');
    await sees(page, 'This answer is not genuine');
    await sees(page, 'A hash is not that of the data: something was altered.');
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('is caught telling another history', async () => {
    const { body: record } = await client.get('/wallets/alice');
    await client.update('/wallets/alice', record, { handle: 'alice', custom: { tier: 'iron' } });
    liar.lie = (body, path) => {
      if (path.startsWith('/v2/wallets/') && path.includes('/changes?')) body.data = body.data.slice(0, 1);
      return body;
    };
    await go('/wallet/alice');
    await sees(page, 'Checked here: the data is unaltered');
    await sees(page, 'This answer is not genuine');
  });

  it('is caught beginning its log anew: the former checkpoint is shown until somebody knows why', async () => {
    await sees(page, 'goes on from what this browser has seen: checked here');
    await page.evaluate(`for (const [name, value] of Object.entries(localStorage)) {
      if (name.startsWith('countersign.tree ') && name.includes('127.0.0.1:${new URL(liar.url).port}/')) localStorage.setItem(name + '/9', value);
      if (name.startsWith('countersign.log ')) localStorage.setItem(name, value + '/9');
    }`);
    await open('/wallet/alice');
    await sees(page, /The log was begun anew; the one seen before had \d+ leaves/);
    await open('');
    await sees(page, /The log was begun anew/);
    expect(await page.locator('.notice .bytes').textContent()).toContain('/log/ldg.');
    expect(await page.getByText('goes on from what this browser has seen').count()).toBe(0);
    await page.getByRole('button', { name: 'go on with the new log' }).click();
    await sees(page, 'goes on from what this browser has seen: checked here');
  });

  it('is caught showing a log that does not go on from what was seen', async () => {
    await go('/wallet/alice');
    await sees(page, /Leaf \d+ of the log’s/);
    liar.lie = (body, path) => {
      if (path.includes('/log/consistency')) body.data.hashes = body.data.hashes.reverse();
      return body;
    };
    await client.create('/wallets', { handle: 'carol' });
    await go('/wallet/carol');
    await sees(page, 'This answer is not genuine');
  });
});
