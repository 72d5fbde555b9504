import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { root, say } from './root.mjs';

ensureInstalled();
ensureBuilt();
const { COMMANDS } = await import('../packages/cli/dist/commands/all.js');
const { pagesOf } = await import('../packages/cli/dist/description/page.js');
const folder = join(root, 'docs/cli');
const pages = pagesOf(COMMANDS);
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) {
  if (!pages.some(({ file }) => file === name)) rmSync(join(folder, name));
}
for (const { file, text } of pages) writeFileSync(join(folder, file), text);
say(`${pages.length} pages written to docs/cli`);
