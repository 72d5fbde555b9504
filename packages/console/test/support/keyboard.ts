import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { sees } from './chromium.js';

/** What has the focus: its role or tag, and its name. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '';
  return one.localName + ' ' + name.trim().slice(0, 80);
})()`;

/** Whether nothing lies over the part of what has the focus that is in sight, and there is such a part. */
const IS_SEEN = `(() => {
  const one = document.activeElement;
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const middle = (from, to, end) => (Math.max(0, from) + Math.min(end, to)) / 2;
  const at = document.elementFromPoint(middle(left, right, innerWidth), middle(top, bottom, innerHeight));
  return one.contains(at) && getComputedStyle(one).outlineStyle !== 'none';
})()`;

export function focused(page: Page): Promise<string> {
  return page.evaluate<string>(FOCUSED);
}

/** Whether it can be seen that what has the focus has it. */
export function isSeen(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(IS_SEEN);
}

/** Waits until something has the focus. */
export async function focus(page: Page, wanted: string | RegExp): Promise<void> {
  if (typeof wanted === 'string') await expect.poll(() => focused(page)).toBe(wanted);
  else await expect.poll(() => focused(page)).toMatch(wanted);
}

/** Presses Tab until something has the focus, which must be seen then. */
export async function tabTo(page: Page, wanted: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < 70; tabs++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (typeof wanted === 'string' ? now === wanted : wanted.test(now)) {
      expect(await isSeen(page), `${now}: the focus is seen`).toBe(true);
      return;
    }
    passed.push(now);
  }
  throw new Error(`No Tab leads to ${wanted}, but to ${passed.join('; ')}`);
}

/** Goes on to something by Tab, and presses it. */
export async function pressOn(page: Page, wanted: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await tabTo(page, wanted, key);
  await page.keyboard.press('Enter');
}

/** Everything that Tab leads to on a page, from its top on, and whether it is seen that it has the focus. */
export async function stopsOf(page: Page): Promise<{ readonly name: string; readonly isSeen: boolean }[]> {
  await page.evaluate('document.activeElement.blur()');
  const stops: { name: string; isSeen: boolean }[] = [];
  for (let tabs = 0; tabs < 120; tabs++) {
    await page.keyboard.press('Tab');
    const name = await focused(page);
    if (name.startsWith('body ')) return stops;
    stops.push({ name, isSeen: await isSeen(page) });
  }
  throw new Error('Tab leads to no end');
}

/** Makes a key in the browser, and signs in with it. The focus is on the button that says so then. */
export async function makeKey(page: Page): Promise<void> {
  await pressOn(page, 'button Sign in');
  await pressOn(page, 'summary New key');
  await tabTo(page, 'input Name');
  await page.keyboard.type('browser');
  await page.keyboard.press('Enter');
  await focus(page, 'button key browser');
}

/** Agrees to what a form shows before it is signed, and waits for what comes of it. */
export async function agree(page: Page, outcome: string | RegExp): Promise<void> {
  await focus(page, 'h2 Sign this?');
  await pressOn(page, 'button Sign and send');
  await sees(page, outcome);
}
