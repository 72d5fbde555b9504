import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFolder } from '../../cli/test/support/cli.js';
import { root } from '../../server/test/support/documents.js';
import { eventually } from '../../server/test/support/eventually.js';
import { freePort } from '../../server/test/support/free-port.js';
import { goTo, sign } from './support/begin.js';
import { lacksChromium, sees, withBrowser } from './support/chromium.js';

const folder = withFolder();
const browser = withBrowser();

describe.skipIf(lacksChromium)('npm start', () => {
  it('prints the page that leads from nothing to a verified transfer', { timeout: 240_000 }, async () => {
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
      await goTo(page, 'Make a ledger');
      await page.getByLabel('Name', { exact: true }).waitFor();
      await page.keyboard.press('Enter');
      for (const label of STEPS) {
        await page.getByLabel(label).waitFor();
        await sign(page);
      }
      await sees(page, 'Your transfer is done, and verified here');
      await sees(page, '75.00 usd');
      // Whoever gets the address of the record sees it checked, too.
      await goTo(page, 'Look at the transfer');
      await sees(page, 'Checked here: the data is unaltered, and the ledger has countersigned it.');
      await sees(page, /Leaf \d+ of the log’s/);
      expect(browser.faults).toEqual([]);
    } finally {
      const closed = once(started, 'close');
      process.kill(-(started.pid as number), 'SIGTERM');
      await closed;
    }
  });
});

/** What is signed, by the label of what is filled in already. */
const STEPS = [
  'Name of the ledger',
  'Symbol',
  'First wallet',
  'Second wallet',
  'How much usd to issue to ada',
  'How much usd to move from ada to ben',
];
