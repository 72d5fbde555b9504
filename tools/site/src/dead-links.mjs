import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a server shows the site; what lies beside it is not the site's. */
const AT = 'http://site.invalid/docs/';

/**
 * Links within a site that lead to no file, or to no place in one.
 *
 * @param {string} folder of the site
 * @returns {string[]} each with the page that has it
 */
export function deadLinks(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const anchors = new Map(names.map((name) => [name, anchorsOf(readFileSync(join(folder, name), 'utf8'))]));
  return names.flatMap((name) => {
    const html = readFileSync(join(folder, name), 'utf8');
    const links = new Set([...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, link]) => link));
    return [...links].filter((link) => isDead(folder, anchors, name, link)).map((link) => `${name}: ${link}`);
  });
}

function anchorsOf(html) {
  return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
}

function isDead(folder, anchors, name, link) {
  const { href, pathname, hash } = new URL(link.replaceAll('&amp;', '&'), AT + name);
  if (!href.startsWith(AT)) return false;
  const path = decodeURIComponent(pathname.slice(new URL(AT).pathname.length)).replace(/(^|\/)$/, '$1index.html');
  if (!existsSync(join(folder, path))) return true;
  return hash.length > 1 && anchors.has(path) && !anchors.get(path).has(decodeURIComponent(hash.slice(1)));
}
