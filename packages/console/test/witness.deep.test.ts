import { formatVkey, parsePolicy } from '@countersign/protocol/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testWitnessKey } from '../../cli/test/support/tree.js';
import { newLedger } from '../../server/test/support/client.js';
import { eventually } from '../../server/test/support/eventually.js';
import { type RunningServer, startServer } from '../../server/test/support/server.js';
import { type RunningWitness, sealedLog, startWitness } from '../../server/test/support/witness.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const browser = withBrowser();
let witness: RunningWitness;
let running: RunningServer;
beforeAll(async () => {
  witness = await startWitness('w.test');
  const policy = parsePolicy(`witness w0 ${witness.vkey} ${witness.url}\nquorum none\n`);
  const witnesses = { policy, interval: 100, refused: { first: 200, greatest: 400 } };
  running = await startServer({ consoleServers: [], deliveryAllowPrivate: true, witnesses });
});
afterAll(async () => {
  await running?.stop();
  await witness?.stop();
});

describe.skipIf(lacksChromium)('witnesses of a log, in Chromium', () => {
  it('count by the policy that somebody pastes', async () => {
    const client = await newLedger(running.url);
    await client.create('/wallets', { handle: 'shop' });
    const log = await sealedLog(running.database.url, client.ledger ?? '');
    witness.trust(log.key);
    await eventually(async () => {
      const { note } = (await running.server.service.logs.current(log.ledger, log.size)) ?? {};
      expect(note).toContain('w.test');
    });
    const page = await browser.page();
    const ledger = `${consoleOf(running.url)}#/l/${client.ledger}`;
    await page.goto(`${ledger}/wallet/shop`);
    await sees(page, 'Nobody outside was asked: paste a policy that names witnesses.');
    const paste = async (policy: string) => {
      const form = page.locator('details', { has: page.getByText('Policy (C2SP tlog-policy)') }).last();
      if (!(await page.getByRole('button', { name: 'Use it' }).isVisible())) await form.locator('summary').click();
      await page.getByLabel('Policy (C2SP tlog-policy)').fill(policy);
      await page.getByRole('button', { name: 'Use it' }).click();
    };
    await paste('nonsense');
    await sees(page, 'This is not a policy:');
    await paste(`witness w0 ${witness.vkey}\nquorum w0`);
    await sees(page, '1 of 1 witnesses have cosigned; the quorum of your policy is met.');
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/witnessed.png`, fullPage: true });
    await page.goto(ledger);
    await sees(page, /1 of 1/);
    await page.goto(`${ledger}/wallet/shop`);
    await sees(page, 'the quorum of your policy is met');
    const other = formatVkey(testWitnessKey('other.test').key);
    await paste(`witness w0 ${witness.vkey}\nwitness w1 ${other}\ngroup both all w0 w1\nquorum both`);
    await sees(page, '1 of 2 witnesses have cosigned; the quorum of your policy is not met.');
    expect(browser.faults).toEqual([]);
  });
});
