import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PACKAGE } from '../../base/package.js';
import { INTERFACE } from '../information.js';
import { pageHeaders } from '../static/policy.js';

/** What the page at the root tells. */
export interface HomeContent {
  readonly name: string;
  readonly publicUrl: string;
  readonly build: string;
  /** Whether the console is served. */
  readonly hasConsole: boolean;
  /** Whether the database answers. */
  readonly isReady: boolean;
}

/** Text as HTML shows it, also within quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

const readLook = (name: string) => readFileSync(new URL(`look/${name}`, PACKAGE), 'utf8');

const MARK = readLook('mark.svg').trim();

/** In the page itself: it is shown whole by one request, wherever the server lies. */
const STYLE = `${readLook('tokens.css')}${readLook('page.css')}`;

/** What a browser may do with a page of the server itself: show it and its own style. */
export const PLAIN_PAGE = pageHeaders({
  'style-src': `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src': 'data:',
});

/** A page of the server itself. Links are relative: the server may be reached below a path of another one. */
function plainPage(title: string, body: string): string {
  const icon = `data:image/svg+xml,${encodeURIComponent(MARK)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** The page at the root: what this is, whether it is up, and what to do. */
export function home({ name, publicUrl, build, hasConsole, isReady }: HomeContent): string {
  const state = isReady
    ? '<p class="state up"><strong>Up</strong>: the server and its database answer.</p>'
    : '<p class="state down"><strong>Not ready</strong>: the server answers, but its database is out of reach, or it lacks a master key. Its log says which.</p>';
  const facts = [
    ['Name', escapeHtml(name)],
    ['Address for clients', `<code>${escapeHtml(publicUrl)}</code>`],
    ['Interface', escapeHtml(INTERFACE)],
    ['Build', escapeHtml(build)],
  ].map(([what, value]) => `<div><dt>${what}</dt><dd>${value}</dd></div>`);
  const toConsole = hasConsole
    ? '<li><a href="console/"><strong>Console</strong><span>Every record of a ledger, checked in your browser</span></a></li>\n'
    : '';
  const toBegin = hasConsole
    ? 'Make a ledger of your own, and move money in it, <a href="console/#/begin">in this browser</a>; or, with keys in files, from a terminal:'
    : 'Make a ledger of your own, and keys for it, from a terminal:';
  return plainPage(
    'Countersign',
    `<header>${MARK}<h1>Countersign</h1></header>
<p class="lead">A ledger of signed records. It keeps what its writers have signed, signs for having kept it, and proves both to anyone.</p>
${state}
<h2>Begin</h2>
<p>${toBegin}</p>
<pre tabindex="0"><code>npx countersign init acme --server ${escapeHtml(publicUrl)}</code></pre>
<nav aria-label="Where to go">
<ul class="doors">
${toConsole}<li><a href="docs/guides/quick-start.html"><strong>Quick start</strong><span>From an empty ledger to a signed transfer, with curl</span></a></li>
<li><a href="docs/"><strong>Documentation</strong><span>Guides, operations, and how all of it works</span></a></li>
<li><a href="docs/reference/"><strong>Every operation</strong><span>The interface, with an example of each request</span></a></li>
</ul>
</nav>
<h2>This server</h2>
<dl class="facts">${facts.join('\n')}</dl>
<p class="soft">For programs: <a href="v2/openapi.json">the OpenAPI description</a>, and <a href="health/ready">readiness</a>.</p>`,
  );
}

/** What stands below `/docs` in a clone until the site is made. @param up the way to the server's root */
export function docsMissing(up: string): string {
  return plainPage(
    'Documentation · Countersign',
    `<header>${MARK}<h1>Documentation</h1></header>
<p class="lead">These pages are made of the folder <code>docs</code> of the repository, and are not there yet.</p>
<p><code>npm start</code> makes them in the background, which takes about half a minute; <code>npm run site</code> makes them anew.
Then <a href="">load this page again</a>.</p>
<ul class="doors">
<li><a href="${up}"><strong>Server</strong><span>Its state, and how to begin</span></a></li>
<li><a href="${up}v2/openapi.json"><strong>OpenAPI</strong><span>The interface, for tools</span></a></li>
</ul>`,
  );
}
