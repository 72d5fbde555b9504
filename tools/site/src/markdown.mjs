import { posix } from 'node:path';
import { resolveLink } from './pages.mjs';

/** The anchor of a heading, as links in the guides have it: lower case, with `-` for spaces, and no other signs. */
export function slugify(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/**
 * How Markdown becomes a page.
 *
 * @param {import('markdown-it').default} md
 * @param {{pages: Map<string, import('./pages.mjs').Page>, url?: string}} given `url` is the address of the repository for people
 */
export function setRules(md, { pages, url }) {
  const sources = new Map([...pages.values()].map(({ page, source }) => [`${page}.md`, source]));
  md.core.ruler.push('links', ({ tokens, env }) => {
    const source = sources.get(env.relativePath);
    if (source === undefined) return;
    for (const { children } of tokens)
      if (children) resolveIn(children, (href) => resolveLink(pages, source, href, url));
  });
  // Within a line, `<name>` stands for a name.
  md.inline.ruler.disable('html_inline');
  // What is indented is code to copy, too.
  md.core.ruler.push('code', ({ tokens }) => {
    for (const token of tokens)
      if (token.type === 'code_block') Object.assign(token, { type: 'fence', tag: 'code', info: 'text' });
  });
  // A corner without a heading heads nothing.
  md.core.ruler.push('corners', ({ tokens }) => {
    tokens.forEach((token, index) => {
      if (token.type !== 'th_open' || tokens[index + 1].content !== '') return;
      token.type = 'td_open';
      tokens[index + 2].type = 'td_close';
      tokens[index + 2].tag = 'td';
    });
  });
  const { image } = md.renderer.rules;
  md.renderer.rules.image = (...given) => `<span class="picture" tabindex="0">${image(...given)}</span>`;
  // Pages hold no expressions of Vue, whatever stands in braces.
  const render = md.render.bind(md);
  md.render = (text, env) => render(text, env).replaceAll('{{', '&#123;&#123;');
  // Wide tables scroll by themselves, by keyboard too; how a column is set is a class.
  md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  md.renderer.rules.table_close = () => '</table></div>\n';
  for (const cell of ['th', 'td']) {
    md.renderer.rules[`${cell}_open`] = (tokens, index) => {
      const style = tokens[index].attrGet('style') ?? '';
      return style.endsWith('right') ? `<${cell} class="right">` : `<${cell}>`;
    };
  }
}

/** Gives links the address that `find` makes of theirs; of those without one, the text stays. */
function resolveIn(children, find) {
  let isDropped = false;
  for (const token of children) {
    if (token.type === 'image') token.attrSet('src', relativeImage(token.attrGet('src')));
    if (token.type === 'link_open') {
      const to = find(token.attrGet('href'));
      isDropped = to === undefined;
      if (to !== undefined) token.attrSet('href', to);
    }
    if (!isDropped || !/^link_/.test(token.type)) continue;
    if (token.type === 'link_close') isDropped = false;
    Object.assign(token, { type: 'text', tag: '', nesting: 0, content: '' });
  }
}

/** The front page of the repository shows pictures of `docs`. */
function relativeImage(src) {
  return `/${posix.normalize(src).replace(/^(\.\.\/)*(docs\/)?/, '')}`;
}
