import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pagesOf } from './pages.js';

/** The screenshots that are kept: one of every page in each look. They are part of no package. */
export const REFERENCES = fileURLToPath(new URL('../references', import.meta.url));

/** How pages are looked at. */
export const LOOKS = { light: { width: 1280 }, dark: { width: 1280, theme: 'dark' }, narrow: { width: 360 } } as const;

/** A dialog that no address has. */
export const SIGN_IN = 'sign in';

/** The names of all pages that have references. */
export function pageNames(): string[] {
  return [...Object.keys(pagesOf('any')), SIGN_IN];
}

/** The name of the file of a page in one look. */
export function referenceFile(page: string, look: string): string {
  return `${page.replaceAll(' ', '-')}-${look}.webp`;
}

/** The files that are there. */
export function keptReferences(): readonly string[] {
  return readdirSync(REFERENCES).filter((name) => name.endsWith('.webp'));
}

export function readReference(file: string): Buffer | undefined {
  return keptReferences().includes(file) ? readFileSync(`${REFERENCES}/${file}`) : undefined;
}
