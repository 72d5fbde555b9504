import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { root, say } from './root.mjs';

// docs/cli.md is in the repository. The pages of the commands themselves are made for the site.
ensureInstalled();
ensureBuilt();
const { COMMANDS } = await import('../packages/cli/dist/commands/all.js');
const { indexPage } = await import('../packages/cli/dist/description/page.js');
const { file, text } = indexPage(COMMANDS);
writeFileSync(join(root, 'docs', file), text);
say(`docs/${file} is written`);
