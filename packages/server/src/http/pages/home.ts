import { INTERFACE } from '../information.js';
import { escapeHtml, layout } from './html.js';

/** What the page at the root tells. */
export interface HomeContent {
  readonly name: string;
  readonly publicUrl: string;
  readonly build: string;
  /** Whether the database answers. */
  readonly isReady: boolean;
}

/** The page at the root: what this is, and whether it is up. */
export function home({ name, publicUrl, build, isReady }: HomeContent): string {
  const state = isReady
    ? '<strong class="up">Up</strong>: the server and its database answer.'
    : '<strong class="down">Not ready</strong>: the server answers, its database is out of reach.';
  const rows = [
    ['State', state],
    ['Name', escapeHtml(name)],
    ['Base URL', `<code>${escapeHtml(publicUrl)}</code>`],
    ['Interface', escapeHtml(INTERFACE)],
    ['Build', escapeHtml(build)],
  ].map(([what, value]) => `<tr><th>${what}</th><td>${value}</td></tr>`);
  const body = `<h1>A ledger of signed records</h1>
<p>Countersign keeps records that their writers have signed, and signs for having kept them. Programs speak to it over HTTP; this
page is for people.</p>
<div class="table"><table>${rows.join('\n')}</table></div>
<ul>
<li><a href="docs">The interface</a>: every operation, with an example</li>
<li><a href="docs/guides">Guides</a>: how records, proofs, intents and the rest work</li>
<li><a href="v2/openapi.json">OpenAPI 3.1 description</a>, for tools</li>
<li><a href="health/ready">Readiness</a>, for operators</li>
</ul>`;
  return layout({ title: 'Server', body, up: '' });
}
