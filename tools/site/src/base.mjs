/**
 * Stands for the path of the site while it is built. Pages are given relative links instead, and scripts ask `docsBase`, which
 * public/boot.js finds out: one build serves below any path of any server.
 */
const BASE = '/-docs-/';

const AT_RUN_TIME = 'globalThis.docsBase';

/** The configuration of VitePress for a site that may lie anywhere. */
export function relocatable(config) {
  return {
    ...config,
    base: BASE,
    head: config.head.map(([tag, attributes]) => [tag, { ...attributes, href: BASE + attributes.href.slice(1) }]),
    vite: {
      // Small pictures as files, too.
      build: { assetsInlineLimit: 0 },
      plugins: [{ name: 'relocatable', enforce: 'post', config: atRunTime, transform: relocateIndex }],
    },
  };
}

/** Addresses in scripts are made when they run; on the server side, where pages are rendered, they hold BASE. */
function atRunTime(_config, { isSsrBuild }) {
  if (isSsrBuild) return {};
  return {
    define: { 'import.meta.env.BASE_URL': AT_RUN_TIME },
    experimental: {
      renderBuiltUrl: (name, { hostType }) =>
        hostType === 'js' ? { runtime: `${AT_RUN_TIME}+${JSON.stringify(name)}` } : { relative: true },
    },
  };
}

/** The index of the search names pages by their addresses. It is a text within a text. */
function relocateIndex(code, id) {
  if (!id.startsWith('/@localSearchIndex') || !code.includes(BASE)) return undefined;
  return code.replaceAll(BASE, `"+${AT_RUN_TIME}+"`);
}

/**
 * A page without what its policy forbids: scripts and styles within it. public/boot.js does what the scripts did.
 *
 * @param {string} html
 * @param {string} _id
 * @param {{page: string}} context `page` is the path of its Markdown
 */
export function plainHtml(html, _id, { page }) {
  const up = '../'.repeat(page.split('/').length - 1) || './';
  return html
    .replace(/<script id="check-[\w-]+">.*?<\/script>/gs, '')
    .replace('<head>', `<head>\n    <script src="${up}boot.js"></script>`)
    .replace(/ style="[^"]*"/g, '')
    .replaceAll(`="${BASE}`, `="${up}`);
}

/** What the search looks through: of the interface, types and refusals are left out, which are the same on many pages. */
export function searchable(html) {
  return html
    .replace(/<h2 id="schemas".*$/s, '')
    .replace(/<details class="refusals">.*?<\/details>/gs, '')
    .replace(/<dl class="members">.*?<\/dl>(?=<\/div>\s*(<div>|<p>|$))/gs, '');
}

/**
 * What `render` makes while code is left without colours, which take most of the time that a page takes. Its text is the same.
 *
 * @param {import('markdown-it').default} md
 * @param {() => string} render
 */
export function withoutColours(md, render) {
  const { highlight } = md.options;
  md.options.highlight = (code) =>
    `<pre><code>${code.replaceAll('&', '&#x26;').replaceAll('<', '&#x3C;')}</code></pre>`;
  try {
    return render();
  } finally {
    md.options.highlight = highlight;
  }
}
