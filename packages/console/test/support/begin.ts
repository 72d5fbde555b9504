import type { Page } from 'playwright-core';

/** Agrees to what is about to be signed. */
export async function agree(page: Page): Promise<void> {
  await goTo(page, 'Sign and send', 'button');
}

/** Presses Tab until a link or a button has the focus, and presses it. */
export async function goTo(page: Page, name: string, role: 'link' | 'button' = 'link'): Promise<void> {
  await page.getByRole(role, { name }).waitFor();
  for (let tabs = 0; tabs < 40; tabs++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>('document.activeElement?.textContent ?? ""');
    if (focused === name) return page.keyboard.press('Enter');
  }
  throw new Error(`No Tab leads to ${name}`);
}

/** Sends the form that has the focus, looks at what is signed, and agrees. */
export async function sign(page: Page): Promise<void> {
  await page.keyboard.press('Enter');
  await page.getByText('Sign this?').waitFor();
  await agree(page);
  await page.getByText('Sign this?').waitFor({ state: 'detached' });
}
