import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { withFolder } from '../../cli/test/support/cli.js';
import { root } from '../../server/test/support/documents.js';
import { eventually } from '../../server/test/support/eventually.js';
import { freePort } from '../../server/test/support/free-port.js';
import { agree, goTo, sign } from './support/begin.js';
import { lacksChromium, sees, withBrowser } from './support/chromium.js';

const folder = withFolder();
const browser = withBrowser();
const auditor = withBrowser();

describe.skipIf(lacksChromium)('npm start', () => {
  it('prints the page that leads from nothing to a verified transfer, and whoever gets its address to the same', {
    timeout: 240_000,
  }, async () => {
    const env = {
      DATA_DIR: join(folder.path, 'data'),
      PORT: String(await freePort()),
      METRICS_PORT: 'off',
      WORKERS: '1',
    };
    const { PATH = '', HOME = '' } = process.env;
    // A group of its own: npm, the shell and the server are stopped together.
    const started = spawn('npm', ['start'], { cwd: root, env: { PATH, HOME, ...env }, detached: true });
    try {
      let said = '';
      for (const stream of [started.stdout, started.stderr]) stream.on('data', (text: Buffer) => (said += text));
      const address = await eventually(() => {
        const found = /^console on (\S+)$/m.exec(said)?.[1];
        expect(found, said).toBeDefined();
        return String(found);
      });
      const page = await browser.page();
      await page.goto(address);
      await firstTransfer(page);
      await shareWith(page, await auditor.page());
      expect(browser.faults).toEqual([]);
      expect(auditor.faults.filter((fault) => !/status of 40[13]/.test(fault))).toEqual([]);
    } finally {
      const closed = once(started, 'close');
      process.kill(-(started.pid as number), 'SIGTERM');
      await closed;
    }
  });
});

/** From nothing to a verified transfer, by the keyboard alone, over two reloads. */
async function firstTransfer(page: Page): Promise<void> {
  await goTo(page, 'Make a ledger');
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('Name of the ledger').waitFor();
  await page.reload();
  await page.getByLabel('Name of the ledger').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Sign this?').waitFor();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Data, as canonical JSON').textContent()).toContain('"handle":"acme"');
  for (const hash of await dialog.locator('.hash code').allTextContents()) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  await page.keyboard.press('Enter');
  expect(await dialog.isVisible(), 'a second Enter signs nothing').toBe(true);
  await agree(page);
  for (const label of ['Symbol', 'First wallet', 'Second wallet']) {
    await page.getByLabel(label).waitFor();
    await sign(page);
  }
  await page.getByLabel('How much usd to issue to ada').waitFor();
  await page.reload();
  await page.getByLabel('How much usd to issue to ada').waitFor();
  await sign(page);
  await page.getByLabel('How much usd to move from ada to ben').waitFor();
  await sign(page);
  await sees(page, 'Your transfer is done, and verified here');
  await sees(page, '75.00 usd');
  await sees(page, /Transferred.*Done, and checked here/);
  await goTo(page, 'Look at the transfer');
  await sees(page, 'Checked here: the data is unaltered, and the ledger has countersigned it.');
  await sees(page, /Leaf \d+ of the log’s/);
}

/** An auditor who was given one address is refused, makes a key, and reads once its public half is let in. */
async function shareWith(owner: Page, page: Page): Promise<void> {
  await page.goto(owner.url());
  await sees(page, 'First visit');
  await sees(page, 'The ledger refuses');
  await page.getByRole('button', { name: 'Use a key or a token' }).click();
  await page.getByText('New key', { exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('auditor');
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByRole('button', { name: 'key auditor' }).click();
  await sees(page, 'Not a secret.');
  const key = await page.getByRole('dialog').locator('.code code').first().textContent();
  await page.keyboard.press('Escape');
  await owner.getByRole('link', { name: 'Access', exact: true }).click();
  await owner
    .getByRole('region', { name: 'Let somebody read' })
    .getByLabel('Public key, base64')
    .fill(key ?? '');
  await owner.getByRole('button', { name: 'Let this key read' }).click();
  await agree(owner);
  await sees(owner, 'The key may read now.');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await sees(page, 'Checked here: the data is unaltered, and the ledger has countersigned it.');
  await sees(page, /Leaf \d+ of the log’s/);
}
