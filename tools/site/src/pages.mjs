import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The page that every other is reached from, and whose order the side contents have. */
const FIRST = 'docs/README.md';

/**
 * The pages of the site: every Markdown file of the repository that the documentation leads to.
 *
 * @typedef {{source: string, page: string, title: string, text: string}} Page `source` is the path in the repository, `page` that
 *   in the site, without an ending
 * @param {string} root the folder of the repository
 * @returns {Map<string, Page>} by their path in the repository
 */
export function collectPages(root) {
  const pages = new Map();
  const waiting = [FIRST];
  for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
    if (pages.has(source)) continue;
    const text = readFileSync(join(root, source), 'utf8');
    pages.set(source, { source, page: pageOf(source), title: titleOf(text), text });
    for (const target of linksOf(source, text)) {
      if (target.endsWith('.md') && existsSync(join(root, target))) waiting.push(target);
    }
  }
  return pages;
}

/** The path in the site of a file of the repository, without an ending. */
function pageOf(source) {
  const path = source.replace(/^docs\//, '').replace(/\.md$/, '');
  if (source.startsWith('docs/')) return path.replace(/(^|\/)README$/, '$1index');
  // Of what lies beside docs/, a README stands for its folder.
  return (path === 'README' ? 'overview' : path.replace(/\/README$/, '')).toLowerCase();
}

function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';
}

/** The files that a text links to, as paths in the repository, in its order. */
function linksOf(source, text) {
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, path]) => resolve(source, path));
}

function resolve(source, path) {
  return posix.join(posix.dirname(source), path);
}

/**
 * Where a link of a page leads in the site.
 *
 * @param {Map<string, Page>} pages
 * @param {string} source the path in the repository of the page that has the link
 * @param {string} href as it stands in the text
 * @param {string} [url] the address of the repository for people
 * @returns {string | undefined} undefined where it leads to nothing that a reader of the site can open
 */
export function resolveLink(pages, source, href, url) {
  if (/^[a-z]+:|^#/i.test(href)) return href;
  const [path, section] = href.split('#');
  const target = resolve(source, path).replace(/\/$/, '');
  const found = pages.get(target) ?? pages.get(`${target}/README.md`);
  if (!found) return url === undefined ? undefined : `${url}/blob/HEAD/${target}`;
  const to = posix.relative(posix.dirname(pages.get(source).page), `${found.page}.md`);
  return `./${to}${section === undefined ? '' : `#${section}`}`;
}

/**
 * The side contents: the sections and rows of the first page; where a row leads to the first page of a folder, the pages that
 * this one leads to are below it. A page stands where it is named first.
 *
 * @param {Map<string, Page>} pages
 * @param {Record<string, object>} added entries that follow that of a page, by its path in the site
 */
export function sideContents(pages, added) {
  const seen = new Set([FIRST]);
  const sections = pages.get(FIRST).text.split(/^## /m).slice(1);
  const rows = (text) => [...text.matchAll(/^\| (\[[^|]+) \|/gm)].map(([, cell]) => cell);
  const entriesOf = (cell) => linksIn(FIRST, cell).filter(({ target }) => pages.has(target));
  const below = (source) => {
    if (!/\/README\.md$/.test(source) || !source.startsWith('docs/')) return [];
    const inFolder = linksOf(source, pages.get(source).text).filter(
      (target) => pages.has(target) && posix.dirname(target) === posix.dirname(source) && !seen.has(target),
    );
    return [...new Set(inFolder)].map((target) => {
      seen.add(target);
      return { text: pages.get(target).title, link: `/${pages.get(target).page}` };
    });
  };
  return sections.map((section) => {
    const [heading] = section.split('\n');
    const items = rows(section).flatMap((cell) =>
      entriesOf(cell).flatMap(({ text, target }) => {
        if (seen.has(target)) return [];
        seen.add(target);
        const entry = { text, link: `/${pages.get(target).page.replace(/(^|\/)index$/, '$1')}` };
        const children = below(target);
        const own = children.length > 0 ? { ...entry, items: children, collapsed: true } : entry;
        return [own, ...(added[pages.get(target).page] ?? [])];
      }),
    );
    return { text: heading, items };
  });
}

/** The links of a cell with their texts. */
function linksIn(source, cell) {
  return [...cell.matchAll(/\[([^\]]+)\]\(([^)#\s]+)[^)]*\)/g)].map(([, text, path]) => ({
    text: text.charAt(0).toUpperCase() + text.slice(1),
    target: resolve(source, path),
  }));
}
