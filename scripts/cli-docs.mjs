import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { root, say } from './root.mjs';

// docs/cli.md is in the repository. The pages of all commands are made for the packages; a folder that is named gets them, too.
ensureInstalled();
ensureBuilt();
const { COMMANDS } = await import('../packages/cli/dist/commands/all.js');
const { allPages, indexPage } = await import('../packages/cli/dist/description/page.js');
const [folder] = process.argv.slice(2);
const pages = folder === undefined ? [indexPage(COMMANDS)] : allPages(COMMANDS);
for (const { file, text } of pages) {
  const path = join(folder ?? join(root, 'docs'), file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
say(`${pages.length} ${pages.length === 1 ? 'page' : 'pages'} written to ${folder ?? 'docs'}`);
