import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupCommands } from './commands.mjs';
import { collectPages } from './pages.mjs';
import { makeReference } from './reference.mjs';

/**
 * Writes what the site is made of to a folder: the pages of the repository, of the commands, and of the interface.
 *
 * @param {string} root the folder of the repository, whose packages are compiled
 * @param {string} folder
 * @returns {Promise<Map<string, import('./pages.mjs').Page>>} the pages, by their path in the repository
 */
export async function stagePages(root, folder) {
  const { openApi } = await import('../../../packages/server/dist/http/openapi.js');
  const { COMMANDS } = await import('../../../packages/cli/dist/commands/all.js');
  const { allPages } = await import('../../../packages/cli/dist/description/page.js');
  const pages = collectPages(root);
  for (const page of groupCommands(allPages(COMMANDS))) pages.set(page.source, page);
  for (const made of makeReference(openApi({ publicUrl: 'https://ledger.example/v2', build: 'your server' }))) {
    const source = `docs/${made.page}.md`;
    pages.set(source, { ...made, source });
  }
  rmSync(folder, { recursive: true, force: true });
  for (const { page, text } of pages.values()) {
    const file = join(folder, `${page}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, page === 'index' ? firstPage(text) : text);
  }
  cpSync(join(root, 'docs/images'), join(folder, 'images'), { recursive: true });
  cpSync(join(root, 'tools/site/public'), join(folder, 'public'), { recursive: true });
  cpSync(join(root, 'packages/server/look/mark.svg'), join(folder, 'public/mark.svg'));
  return pages;
}

/** The first page: what this is, where to begin, and then the contents. */
function firstPage(text) {
  const contents = text.slice(text.indexOf('\n## '));
  return `# Countersign

<p class="lead">A self-hosted ledger of signed records: what its writers have signed, countersigned for having been kept, and provable to anyone.</p>

<div class="actions"><a href="./guides/quick-start.html">Quick start</a><a href="./overview.html">What it is</a><a href="./reference/">Every operation</a></div>

![A scheme and three banks share one ledger](images/scheme.svg)
${contents}`;
}
