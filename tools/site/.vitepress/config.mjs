import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformerStyleToClass } from '@shikijs/transformers';
import { originOf } from '../../../scripts/pack/origin.mjs';
import { plainHtml, relocatable, searchable, withoutColours } from '../src/base.mjs';
import { setRules, slugify } from '../src/markdown.mjs';
import { sideContents } from '../src/pages.mjs';
import { stagePages } from '../src/stage.mjs';

const site = fileURLToPath(new URL('..', import.meta.url));
const root = join(site, '../..');

/** Each making of the site has a folder of its own. */
const work = process.env.SITE_WORK ?? join(site, 'build/preview');
const staged = join(work, 'pages');

/** Colours of code as classes: the policy of the pages has no place for `style` of an element. */
const colours = transformerStyleToClass({ classPrefix: 'c-' });

const pages = await stagePages(root, staged);
const tags = [...pages.values()].filter(({ page }) => page.startsWith('reference/') && !page.endsWith('/index'));
const reference = {
  text: 'Every operation',
  link: '/reference/',
  collapsed: true,
  items: tags.map(({ page, title }) => ({ text: title, link: `/${page}` })),
};

export default relocatable({
  srcDir: staged,
  outDir: join(work, 'out'),
  cacheDir: join(work, 'cache'),
  lang: 'en',
  title: 'Countersign',
  description: 'A self-hosted ledger of signed records',
  metaChunk: true,
  // It would write a style into the page when the reader switches.
  appearance: { disableTransition: false },
  // Beside the contents of all pages, that would fetch all of them.
  router: { prefetchLinks: false },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/mark.svg' }],
    ['link', { rel: 'stylesheet', href: '/code.css' }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [colours],
    attrs: { disable: true },
    anchor: { slugify },
    config: (md) => setRules(md, { pages, url: originOf(root).url }),
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/guides/', activeMatch: '/guides/' },
      { text: 'Interface', link: '/interface/', activeMatch: '/(interface|reference)/' },
      { text: 'Operations', link: '/operations/', activeMatch: '/operations/' },
      // What the server shows beside the site.
      { text: 'Console', link: '/../console/', target: '_self' },
      { text: 'Server', link: '/../', target: '_self' },
    ],
    logo: { src: '/mark.svg', alt: '' },
    outline: [2, 3],
    sidebar: sideContents(pages, { 'interface/index': [reference] }),
    search: {
      provider: 'local',
      options: { _render: (text, env, md) => searchable(withoutColours(md, () => md.render(text, env))) },
    },
    docFooter: { prev: 'Before', next: 'Next' },
  },
  transformHtml: plainHtml,
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, 'code.css'), colours.getCSS()),
});
