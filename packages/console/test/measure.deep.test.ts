import { describe, expect, it } from 'vitest';
import { newLedger, type TestClient } from '../../server/test/support/client.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { consoleOf, lacksChromium, sees, withBrowser } from './support/chromium.js';

const running = withOwnServer({ consoleServers: [] });
const browser = withBrowser();

const RECORDS = 10_000;
const ROUNDS = 9;

/** Milliseconds since the page was asked for, when it first drew what a selector names. */
const DRAWN = (selector: string) => `new Promise((resolve) => {
  const look = () => document.querySelector(${JSON.stringify(selector)})
    ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look);
  look();
})`;

/** Scrolls a list to its end, and gives the milliseconds of each frame. */
const SCROLLED = `new Promise((resolve) => {
  const box = document.querySelector('.table');
  const frames = [];
  let before = performance.now();
  const step = (now) => {
    frames.push(now - before);
    before = now;
    box.scrollTop += box.scrollHeight / 600;
    if (box.scrollTop + box.clientHeight < box.scrollHeight - 1) requestAnimationFrame(step);
    else resolve(frames);
  };
  requestAnimationFrame((now) => { before = now; requestAnimationFrame(step); });
})`;

/** `MEASURE=1 npm run test:deep -- packages/console/test/measure` prints how quick the console is on this machine. */
describe.skipIf(lacksChromium || process.env.MEASURE !== '1')('how quick the console is', () => {
  it('is printed', { timeout: 600_000 }, async () => {
    const client = await newLedger(running.current.url);
    await makeWallets(client);
    const page = await browser.page();
    const ledger = `${consoleOf(running.current.url)}#/l/${client.ledger}`;
    const figures: Record<string, number[]> = {};
    const drawn = async (name: string, selector: string) => {
      figures[name] = [...(figures[name] ?? []), await page.evaluate<number>(DRAWN(selector))];
    };
    // The policy of the page (cross-origin-opener-policy) has it begin in a new process of the browser, but for a reload.
    const measured = async (name: string, address: string, selector: string) => {
      await page.goto('about:blank');
      await page.goto(address, { waitUntil: 'commit' });
      await drawn(name, selector);
    };
    const cache = await page.context().newCDPSession(page);
    for (let round = 0; round < ROUNDS; round++) {
      await cache.send('Network.clearBrowserCache');
      await measured('first page, nothing cached: usable', consoleOf(running.current.url), 'main button.primary');
    }
    await measured('the first list of a browser', `${ledger}/wallet`, 'main tbody td a');
    delete figures['the first list of a browser'];
    for (let round = 0; round < ROUNDS; round++) {
      await measured('a list of 50, files cached', `${ledger}/wallet`, 'main tbody td a');
      await page.reload({ waitUntil: 'commit' });
      await drawn('a list of 50, loaded again', 'main tbody td a');
      await measured('the overview, files cached', ledger, 'main .panel dl');
      await measured('a record, files cached', `${ledger}/wallet/wallet-7`, 'main .notice.good');
    }
    const shown = Date.now();
    await page.goto('about:blank');
    await page.goto(`${ledger}/wallet?rows=10000`);
    await sees(page, /10,000 records, each checked here/);
    const all = Date.now() - shown;
    const frames = await page.evaluate<number[]>(SCROLLED);
    for (const [name, times] of Object.entries(figures)) console.log(`${name}: ${spread(times)}`);
    console.log(`10,000 records read and checked: ${all} ms`);
    const late = frames.filter((time) => time > 34).length;
    console.log(`scrolling through them: ${frames.length} frames, ${spread(frames)}, ${late} longer than two`);
    expect(frames.length).toBeGreaterThan(100);
  });
});

async function makeWallets(client: TestClient): Promise<void> {
  let made = 0;
  const lane = async () => {
    while (made < RECORDS) {
      const { status } = await client.create('/wallets', { handle: `wallet-${made++}`, custom: { tier: 'gold' } });
      expect(status).toBe(201);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

/** Median, 95th of a hundred, and greatest. */
function spread(times: number[]): string {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`;
}
