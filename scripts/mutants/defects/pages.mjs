/** What browsers are shown. */
const src = (path) => `packages/server/src/http/pages/${path}`;

export const tests = ['packages/server/test/openapi/pages.test.ts'];

export const mutants = [
  {
    id: 'pages-guide-of-any-name',
    file: src('guides.ts'),
    find: "if (name !== '' && !this.#names.has(name)) return undefined;",
    replace: '',
    breaks: 'A path leads to Markdown files outside of the guides.',
  },
  {
    id: 'pages-html-in-markdown',
    file: src('markdown.ts'),
    find: "? '' : escapeHtml(text)),",
    replace: "? '' : text),",
    breaks: 'HTML in a guide is sent as it is.',
  },
  {
    id: 'pages-link-to-any-scheme',
    file: src('markdown.ts'),
    find: '/^[a-z]+:/i.test(href) ? undefined : link(href)',
    replace: '/^[a-z]+:/i.test(href) ? href : link(href)',
    breaks: 'A link in a guide runs a script.',
  },
  {
    id: 'pages-for-everybody',
    file: src('html.ts'),
    find: "return prefers(headers.accept, 'text/html', 'application/json');",
    replace: "return prefers(headers.accept, 'text/html', 'no/type');",
    breaks: 'Who asks for JSON first gets a page.',
  },
];
