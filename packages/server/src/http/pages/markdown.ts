import { Marked, type Tokens } from 'marked';
import { escapeHtml } from './html.js';

/**
 * Markdown as HTML. Of HTML in it, and of links to anything but pages and the web, only the text is shown.
 *
 * @param link where a relative link leads on this server; undefined for what is not served
 */
export function renderMarkdown(text: string, link: (href: string) => string | undefined): string {
  const ids = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (/^<!--[\s\S]*-->\s*$/.test(text) ? '' : escapeHtml(text)),
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${escapeHtml(anchorId(text, ids))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const shown = this.parser.parseInline(tokens);
        const to = /^https?:\/\//.test(href) ? href : /^[a-z]+:/i.test(href) ? undefined : link(href);
        return to === undefined ? shown : `<a href="${escapeHtml(to)}">${shown}</a>`;
      },
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(text, { async: false });
}

/** The id of a heading, as links in the guides have it: lower case, with `-` for spaces, and no other signs. */
function anchorId(text: string, ids: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const seen = ids.get(id) ?? 0;
  ids.set(id, seen + 1);
  return seen === 0 ? id : `${id}-${seen}`;
}
