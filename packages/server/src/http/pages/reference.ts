import type { Schema } from '../openapi/schemas.js';
import { escapeHtml, layout } from './html.js';
import { renderMarkdown } from './markdown.js';
import { inline, typeOf } from './schema-text.js';

type ReferenceContent = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

interface ReferenceParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface ReferenceOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly ReferenceParameter[];
  readonly requestBody?: { readonly content: ReferenceContent };
  readonly responses: Readonly<Record<string, ReferenceAnswer>>;
  readonly externalDocs?: { readonly url: string };
}

interface ReferenceAnswer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: ReferenceContent;
}

interface Document {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly {
    readonly name: string;
    readonly description?: string;
    readonly externalDocs?: { url: string };
  }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ReferenceOperation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, ReferenceOperation>>>>;
  readonly components: Readonly<Record<'schemas' | 'responses' | 'parameters', Readonly<Record<string, object>>>>;
}

/** The pages of the interface, by name: `` is the list of them, others are about a tag. */
export function makeReference(document: object): Map<string, string> {
  const { tags, info } = document as Document;
  const items = tags.map(
    ({ name, description = '' }) =>
      `<tr><td class="name"><a href="docs/${slug(name)}">${escapeHtml(name)}</a></td><td>${inline(firstSentence(description))}</td></tr>`,
  );
  const body = `<h1>The interface</h1>
<div class="table"><table>${items.join('\n')}</table></div>
${renderMarkdown(info.description, () => undefined)}`;
  const pages = new Map([['', layout({ title: 'The interface', body, up: '' })]]);
  for (const tag of tags) pages.set(slug(tag.name), page(document as Document, tag));
  return pages;
}

function firstSentence(text: string): string {
  return `${text.split('. ')[0]?.replace(/\.$/, '')}.`;
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

function page(document: Document, { name, description = '', externalDocs }: Document['tags'][number]): string {
  const found = [...Object.entries(document.paths), ...Object.entries(document.webhooks)].flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, one]) => one.tags?.includes(name))
      .map(([method, one]) => operationHtml(document, method, path, one)),
  );
  const used = closure(document, found.join(''));
  const schemas = used.map((one) => {
    const schema = document.components.schemas[one] as Schema;
    const text = typeof schema.description === 'string' ? renderMarkdown(schema.description, () => undefined) : '';
    return `<h3 id="schema-${one}">${one}</h3>\n${text}<div class="table">${typeOf(schema)}</div>`;
  });
  const guide = externalDocs ? ` <a href="${escapeHtml(localLink(externalDocs.url))}">Guide</a>` : '';
  const body = `<h1>${escapeHtml(name)}</h1>
<p>${inline(description)}${guide}</p>
${found.join('\n')}
<h2>Schemas</h2>
<p class="soft">A <code>?</code> marks members that may be absent.</p>
${schemas.join('\n')}`;
  return layout({ title: name, body, up: '../' });
}

/** A link to a guide of this server, from a page below `/docs/`. */
function localLink(url: string): string {
  return url.replace(/^.*\/docs\/guides\//, 'guides/');
}

/** The components that a text links to, and those that these link to. */
function closure({ components: { schemas } }: Document, text: string): string[] {
  const found = new Set<string>();
  const look = (html: string) => {
    for (const [, name = ''] of html.matchAll(/href="#schema-([\w-]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      look(typeOf(schemas[name]));
    }
  };
  look(text);
  return [...found];
}

function operationHtml(document: Document, method: string, path: string, one: ReferenceOperation): string {
  const { operationId, summary, description = '', parameters = [], requestBody, responses, externalDocs } = one;
  const isServed = path.startsWith('/');
  const guide = externalDocs ? `<p><a href="${escapeHtml(localLink(externalDocs.url))}">Guide</a></p>` : '';
  const rows = parameters.map((parameter) => parameterRow(document, parameter));
  return `<details class="operation" id="${operationId}">
<summary><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(isServed ? path : '')}</code> <span>${inline(summary)}</span></summary>
<div>
${renderMarkdown(description, () => undefined)}${guide}
<p class="soft">Operation <code>${operationId}</code></p>
${rows.length > 0 ? `<h4>Parameters</h4><div class="table"><table>${rows.join('\n')}</table></div>` : ''}
${requestBody ? `<h4>Request</h4>${content(requestBody.content)}` : ''}
<h4>Answers</h4>
<div class="table"><table class="answers">${Object.entries(responses)
    .map(([status, answer]) => answerRow(document, status, answer))
    .join('\n')}</table></div>
</div>
</details>`;
}

function parameterRow(document: Document, parameter: ReferenceParameter): string {
  const {
    name,
    in: place,
    required,
    description = '',
    schema,
  } = resolveReference(document.components.parameters, parameter);
  const type = name === 'filters' ? `members: ${filterNamesHtml(schema)}` : typeOf(schema);
  return `<tr><td class="name"><code>${escapeHtml(name)}</code>${required ? '' : '<span class="soft">?</span>'} <span class="soft">${place}</span></td><td>${type} <span class="soft">${inline(description)}</span></td></tr>`;
}

function filterNamesHtml({ properties = {} }: Schema): string {
  return Object.keys(properties as Schema)
    .map((name) => `<code>${escapeHtml(name)}</code>`)
    .join(' ');
}

function answerRow(document: Document, status: string, answer: ReferenceAnswer): string {
  const { description = '', content: media } = resolveReference(document.components.responses, answer);
  const isError = Number(status) >= 400;
  return `<tr><td class="name"><code>${status}</code></td><td>${renderMarkdown(description, () => undefined)}${media && !isError ? content(media) : ''}</td></tr>`;
}

function content(media: ReferenceContent): string {
  return Object.entries(media)
    .map(([type, { schema, example }]) => {
      const shown = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
      const sample =
        shown === undefined ? '' : `<details><summary>Example</summary><pre>${escapeHtml(shown)}</pre></details>`;
      return `<p><span class="soft">${escapeHtml(type)}</span></p>${typeOf(schema)}${sample}`;
    })
    .join('\n');
}

function resolveReference<Part extends { readonly $ref?: string }>(
  parts: Readonly<Record<string, object>>,
  part: Part,
): Part {
  return part.$ref === undefined ? part : (parts[part.$ref.split('/').at(-1) ?? ''] as Part);
}
