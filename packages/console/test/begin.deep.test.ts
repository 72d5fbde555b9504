import { describe, expect, it } from 'vitest';
import { Cli, withFolder } from '../../cli/test/support/cli.js';
import { TEST_MASTER_KEY, withOwnServer } from '../../server/test/support/server.js';
import { agree } from './support/begin.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

/** As with `SERVER_ACCESS_RULES=[]`. */
const running = withOwnServer({ consoleServers: [], serverRules: [] });
const folder = withFolder();
const browser = withBrowser();

describe.skipIf(lacksChromium)('where nobody may make ledgers, in Chromium', () => {
  it('a ledger is refused with a hint, and made with the code of an invitation, which goes with that request alone', async () => {
    const { url, database } = running.current;
    const admin = new Cli(folder.path, { DATABASE_URL: database.url, MASTER_KEY: TEST_MASTER_KEY.toString('base64') });
    const code: string = (await admin.done(['admin', 'invite', '--json'])).json.code;
    const page = await browser.page();
    const carriers: string[] = [];
    page.on('request', (request) => {
      if (JSON.stringify([request.url(), request.headers(), request.postData()]).includes(code))
        carriers.push(`${request.method()} ${request.url()} ${request.headers().authorization}`);
    });
    await page.goto(`${consoleOf(url)}#/begin`);
    await page.getByRole('button', { name: 'Make the key' }).click();
    const make = page.getByRole('button', { name: 'Make the ledger' });
    await make.click();
    await agree(page);
    await sees(page, 'The ledger refuses');
    await sees(page, 'If you have an invitation, send its code as the bearer token.');
    // There is no ledger yet to sign in to.
    expect(await page.getByRole('button', { name: 'Use a key or a token' }).count()).toBe(0);
    const invitation = page.getByLabel('Invitation (optional)');
    await invitation.fill(code.slice(0, -1));
    await make.click();
    expect(await page.locator('input:invalid').count()).toBe(1);
    expect(await page.getByText('Sign this?').count()).toBe(0);
    await invitation.fill(` ${code} `);
    await make.click();
    await agree(page);
    await page.getByLabel('Symbol').waitFor();
    expect(carriers).toEqual([`POST ${url}/ledgers Bearer ${code}`]);
    expect(await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(
      code,
    );
  });
});
