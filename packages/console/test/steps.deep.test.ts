import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { MAIN, withFolder } from '../../cli/test/support/cli.js';
import { everyKind } from '../../server/test/archive/every-kind.js';
import { exported } from '../../server/test/archive/support.js';
import { newLedger, systemKeyOf } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();
const home = withFolder();

describe.skipIf(lacksChromium)('the page of a record, in Chromium', () => {
  it('opens every step of its verdict', async () => {
    const client = await newLedger(running.current.url);
    await client.create('/signers', { handle: 'anna', public: client.key.public, format: 'ed25519-raw' });
    const { body } = await client.create('/wallets', { handle: 'alice', custom: { tier: 'gold' } });
    const page = await browser.page();
    await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}/wallet/alice`);
    await page.getByText('How this was checked').click();
    await sees(page, '{"custom":{"tier":"gold"},"handle":"alice"}');
    await sees(page, body.hash);
    await sees(page, 'anna');
    await page.getByText('The signature of this key holds: checked here.').first().click();
    await sees(page, 'A record of the ledger, countersigned and checked here, says that the key is that of');
    await sees(page, body.hash + JSON.stringify(sorted(body.meta.proofs[0].custom)));
    expect(browser.faults).toEqual([]);
  });

  it('shows its history with what each version has changed, and an earlier version', async () => {
    const client = await newLedger(running.current.url);
    const { body } = await client.create('/wallets', { handle: 'alice', custom: { tier: 'gold' } });
    await client.update('/wallets/alice', body, { handle: 'alice', custom: { tier: 'iron' } });
    const page = await browser.page();
    await page.goto(`${consoleOf(running.current.url)}#/l/${client.ledger}/wallet/alice`);
    await sees(page, 'Every version is there, and each follows from the one before: checked here.');
    const row = page.getByRole('row', { name: 'custom.tier' });
    expect(await row.locator('del').textContent()).toBe('gold');
    expect(await row.locator('ins').textContent()).toBe('iron');
    await page.getByRole('link', { name: 'Version 1' }).click();
    await sees(page, 'An earlier version, as it was stored.');
    await sees(page, 'Checked here: the data is unaltered');
    await sees(page, /Leaf \d+ of the log’s/);
  });

  it('proves its place in the log, against what was seen before, and gives files that prove it without a server', async () => {
    const client = await newLedger(running.current.url);
    await client.create('/wallets', { handle: 'alice' });
    const page = await browser.page();
    const address = `${consoleOf(running.current.url)}#/l/${client.ledger}/wallet/`;
    await page.goto(`${address}alice`);
    await sees(page, /Leaf \d+ of the log’s \d+, proved here/);
    await page.getByText('In the log').click();
    await sees(page, 'This is the first tree of the log that this browser has seen');
    await client.create('/wallets', { handle: 'bob' });
    await page.goto(`${address}bob`);
    await sees(page, /Leaf \d+ of the log’s \d+, proved here/);
    await page.getByText('In the log').click();
    await sees(page, /seen before, is the beginning of that of \d+: proved here by \d+ hashes/);

    const record = await saved(page, 'Download the version');
    const proof = await saved(page, 'Download the proof of inclusion');
    await writeFile(join(home.path, 'record.json'), record);
    await writeFile(join(home.path, 'record.proof'), proof);
    expect(await run(await copied(page, 'Command'))).toContain('bob');
    expect(JSON.parse(await run(await copied(page, 'curl')))).toMatchObject({ data: { handle: 'bob' } });
    expect(await run(await copied(page, 'Download the proof'))).toContain('leaf');
    await page.goto(`${consoleOf(running.current.url)}#/check`);
    const choose = page.getByLabel('Choose files');
    await choose.setInputFiles([given('record.json', record), given('record.proof', proof)]);
    await sees(page, 'The key was not given');
    await page.getByLabel('Public key of the ledger').fill(systemKeyOf(client));
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await sees(page, /Checked here: version 1 of the record is leaf \d+ of the log/);
    await sees(page, 'The checkpoint is signed by the key that you gave.');
    await page
      .getByLabel('Check other files')
      .setInputFiles([given('altered.json', record.replace('"bob"', '"eve"')), given('record.proof', proof)]);
    await sees(page, 'This is not shown to be in the log');
    await sees(page, 'Its hash is not that of its data: something was altered.');
    expect(browser.faults).toEqual([]);
  });

  it('checks an export that is dropped onto it, and finds what was altered', async () => {
    const { client } = await everyKind(running.current.url);
    const text = await exported(running.current, client.ledger ?? '');
    const page = await browser.page();
    await page.goto(consoleOf(running.current.url));
    const dataTransfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(text)}], 'acme.ndjson'));
      return transfer;
    })()`);
    await page.locator('h1').dispatchEvent('dragover', { dataTransfer });
    await sees(page, 'Drop to check them here');
    await page.locator('h1').dispatchEvent('drop', { dataTransfer });
    await sees(page, 'Checked here: nothing was found wrong in the export.');
    await sees(page, 'signatures: digest and key of each');
    const altered = text.replace('carol@north', 'carol@south');
    await page.getByLabel('Check other files').setInputFiles([given('altered.ndjson', altered)]);
    await sees(page, /things were found wrong in the export/);
    expect(browser.faults).toEqual([]);
  });
});

async function saved(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

/** What a button copies. */
async function copied(page: Page, label: string): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: `Copy ${label}`, exact: true }).click();
  return page.evaluate<string>('navigator.clipboard.readText()');
}

/** What a command prints that is typed into a shell, by somebody who has nothing at home but the files that were saved. */
async function run(command: string): Promise<string> {
  const shell = `countersign() { '${process.execPath}' '${MAIN}' "$@"; }\n${command}`;
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)('sh', ['-c', shell], { cwd: home.path, env: { PATH, HOME: home.path } });
  return stdout;
}

function given(name: string, content: string) {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(content) };
}

function sorted(value: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
