import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { everyKind } from '../../server/test/archive/every-kind.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, visit, withBrowser } from './support/chromium.js';
import { hostileLedger } from './support/hostile.js';
import { pagesOf } from './support/pages.js';
import { LOOKS, REFERENCES, readReference, referenceFile, SIGN_IN } from './support/references.js';

const folder = process.env.SHOTS;
/** Whether what is drawn takes the place of what was kept. */
const keeps = process.env.KEEP === '1';

/** The same bytes in each run, in the order in which they are asked for: identifiers differ in nothing that need not. */
let asked = 0;
const random = (bytes: number): Uint8Array => {
  asked += 1;
  const parts = Array.from({ length: Math.ceil(bytes / 32) }, (_, at) => digest(`${asked} ${at}`));
  return Buffer.concat(parts).subarray(0, bytes);
};
const running = withOwnServer({ consoleServers: [], runtime: { now: Date.now, random } });
const browser = withBrowser();

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

/** Of a page as it is kept: so much of its size, of the quality of WebP, and pixels of its height at most. */
const KEPT = { wide: { scale: 0.5, quality: 40 }, narrow: { scale: 0.8, quality: 35 }, height: 1800 };

/**
 * `npm run screenshots` draws every page, in light, dark and narrow, and puts them on sheets beside what was kept of them, to be
 * looked at; `KEEP=1 npm run screenshots` keeps them. No test compares them: each release of Chromium draws a little differently,
 * and keys, hashes and moments differ in each run.
 */
describe.skipIf(lacksChromium || folder === undefined)('pictures of the console', () => {
  it('are drawn of every page', { timeout: 1_800_000 }, async () => {
    const { client } = await everyKind(running.current.url);
    if (keeps) {
      rmSync(REFERENCES, { recursive: true, force: true });
      mkdirSync(REFERENCES);
    }
    for (const [look, options] of Object.entries(LOOKS)) {
      const page = await browser.page(options);
      const shots: Shot[] = [];
      for (const [name, path] of Object.entries(pagesOf(client.ledger ?? '')))
        shots.push(await drawPage(page, path, name, look));
      await page.getByRole('button', { name: 'Sign in' }).click();
      shots.push(await shoot(page, SIGN_IN, look));
      await drawSheets(shots, look);
      await page.close();
    }
  });

  it('are drawn of what strangers wrote', { timeout: 1_800_000 }, async () => {
    const { client } = await hostileLedger(running.current.url);
    for (const [look, options] of Object.entries(LOOKS)) {
      const page = await browser.page(options);
      const shots: Shot[] = [];
      for (const [name, path] of Object.entries(HOSTILE)) {
        await visit(page, `${consoleOf(running.current.url)}#/l/${client.ledger}${path}`);
        shots.push({ name: `hostile ${name}`, bytes: await capture(page, look) });
      }
      await drawSheets(shots, `hostile-${look}`);
    }
  });
});

interface Shot {
  readonly name: string;
  readonly bytes: Buffer;
  /** What was kept of the page before. */
  readonly before?: Buffer | undefined;
}

async function drawPage(page: Page, path: string, name: string, look: string): Promise<Shot> {
  await visit(page, `${consoleOf(running.current.url)}#${path}`);
  return shoot(page, name, look);
}

async function shoot(page: Page, name: string, look: string): Promise<Shot> {
  const file = referenceFile(name, look);
  const before = readReference(file);
  const bytes = await capture(page, look);
  if (keeps) writeFileSync(`${REFERENCES}/${file}`, bytes);
  return { name, bytes, before };
}

/** The whole page, made smaller, as WebP. */
async function capture(page: Page, look: string): Promise<Buffer> {
  const { scale, quality } = KEPT[look === 'narrow' ? 'narrow' : 'wide'];
  // What stands still at the top of the screen is drawn where it is.
  await page.evaluate('scrollTo(0, 0)');
  const { width } = page.viewportSize()!;
  const height = await page.evaluate<number>('Math.max(innerHeight, document.documentElement.scrollHeight)');
  const clip = { x: 0, y: 0, width, height: Math.min(height, KEPT.height), scale };
  const session = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality, clip, captureBeyondViewport: true } as const;
  const { data } = await session.send('Page.captureScreenshot', options);
  await session.detach();
  return Buffer.from(data, 'base64');
}

/** Puts many screenshots onto few pictures. */
async function drawSheets(shots: readonly Shot[], look: string): Promise<void> {
  mkdirSync(`${folder}/sheets`, { recursive: true });
  const sheet = SHEETS[look.includes('narrow') ? 'narrow' : 'wide'];
  const box = `width:${sheet.width}px;max-height:${sheet.height}px;object-fit:cover;object-position:top;border:1px solid`;
  const page = await browser.page({ width: 1800 });
  for (let at = 0; at < shots.length; at += sheet.shots) {
    const figures = shots.slice(at, at + sheet.shots).map(({ name, bytes, before }) => {
      const images = [before, bytes].flatMap((one) => (one === undefined ? [] : [one.toString('base64')]));
      const drawn = images.map((one) => `<img style="${box}" src="data:image/webp;base64,${one}">`);
      return `<figure style="margin:0"><figcaption>${name}</figcaption>${drawn.join(' ')}</figure>`;
    });
    await page.setContent(
      `<body style="font:14px sans-serif;display:flex;flex-wrap:wrap;gap:12px">${figures.join('')}`,
    );
    await page.screenshot({ path: `${folder}/sheets/${look}-${1 + at / sheet.shots}.png`, fullPage: true });
  }
  await page.close();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
