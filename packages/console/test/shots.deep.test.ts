import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { everyKind } from '../../server/test/archive/every-kind.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, visit, withBrowser } from './support/chromium.js';
import { hostileLedger } from './support/hostile.js';
import { pagesOf } from './support/pages.js';

const folder = process.env.SHOTS;
const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

const LOOKS = { light: { width: 1280 }, dark: { width: 1280, theme: 'dark' }, narrow: { width: 360 } } as const;

/** Pages of a ledger whose names strangers chose. */
const HOSTILE = {
  overview: '',
  list: '/wallet?columns=data.handle,data.custom,meta.labels',
  record: '/wallet/wallet-12',
  long: '/wallet/wallet-28',
  intent: '/money/intent/evil-12',
  form: '/do/create/wallet',
};

/** Screenshots on one sheet, and pixels that each is wide there and high at most. */
const SHEETS = {
  wide: { shots: 12, width: 420, height: 620 },
  narrow: { shots: 16, width: 216, height: 1100 },
};

/**
 * `npm run screenshots` draws every page, in light, dark and narrow, and sheets of them, to be looked at. They are compared with
 * nothing: each release of Chromium draws a little differently.
 */
describe.skipIf(lacksChromium || folder === undefined)('pictures of the console', () => {
  it.each(Object.entries(LOOKS))('are drawn of every page: %s', { timeout: 600_000 }, async (look, options) => {
    const { client } = await everyKind(running.current.url);
    const page = await browser.page(options);
    const shots: Shot[] = [];
    for (const [name, path] of Object.entries(pagesOf(client.ledger ?? '')))
      shots.push(await draw(page, path, name, look));
    await page.getByRole('button', { name: 'Sign in' }).click();
    shots.push(await shoot(page, 'sign in', look, false));
    await drawSheets(shots, look);
  });

  it('are drawn of what strangers wrote', { timeout: 600_000 }, async () => {
    const { client } = await hostileLedger(running.current.url);
    for (const [look, options] of Object.entries(LOOKS)) {
      const page = await browser.page(options);
      const shots: Shot[] = [];
      for (const [name, path] of Object.entries(HOSTILE)) {
        shots.push(await draw(page, `/l/${client.ledger}${path}`, `hostile ${name}`, look));
      }
      await drawSheets(shots, `hostile-${look}`);
    }
  });
});

interface Shot {
  readonly name: string;
  readonly bytes: Buffer;
}

async function draw(page: Page, path: string, name: string, look: string): Promise<Shot> {
  await visit(page, `${consoleOf(running.current.url)}#${path}`);
  return shoot(page, name, look, true);
}

async function shoot(page: Page, name: string, look: string, fullPage: boolean): Promise<Shot> {
  return {
    name,
    bytes: await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}-${look}.png`, fullPage }),
  };
}

/** Puts many screenshots onto few pictures. */
async function drawSheets(shots: readonly Shot[], look: string): Promise<void> {
  mkdirSync(`${folder}/sheets`, { recursive: true });
  const sheet = SHEETS[look.includes('narrow') ? 'narrow' : 'wide'];
  const box = `width:${sheet.width}px;max-height:${sheet.height}px;object-fit:cover;object-position:top;border:1px solid`;
  const page = await browser.page({ width: 1800 });
  for (let at = 0; at < shots.length; at += sheet.shots) {
    const figures = shots.slice(at, at + sheet.shots).map(({ name, bytes }) => {
      const source = `data:image/png;base64,${bytes.toString('base64')}`;
      return `<figure style="margin:0"><figcaption>${name}</figcaption><img style="${box}" src="${source}"></figure>`;
    });
    await page.setContent(
      `<body style="font:14px sans-serif;display:flex;flex-wrap:wrap;gap:12px">${figures.join('')}`,
    );
    await page.screenshot({ path: `${folder}/sheets/${look}-${1 + at / sheet.shots}.png`, fullPage: true });
  }
  await page.close();
}
