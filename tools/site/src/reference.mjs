import { escapeHtml, heading, inline } from './html.mjs';
import { term, typeOf } from './schema-text.mjs';

/** Where the reference is in the site. */
const FOLDER = 'reference';

/**
 * The reference of the interface: its first page, and one for each tag, as Markdown with HTML in it.
 *
 * @param {object} document the OpenAPI document
 * @returns {{page: string, title: string, text: string}[]}
 */
export function makeReference(document) {
  const { tags, info } = document;
  const rows = tags.map(
    ({ name, description = '' }) =>
      `| [${name}](${slug(name)}.md) | ${firstSentence(description).replaceAll('|', '\\|')} |`,
  );
  const lead =
    'Every operation, made of the [OpenAPI description](/../v2/openapi.json) that a server has of itself. The [guides to the interface](../interface/index.md) say more of each kind.';
  const first = `# Every operation\n\n${lead}\n\n| Page | About |\n|---|---|\n${rows.join('\n')}\n\n${info.description}\n`;
  return [
    { page: `${FOLDER}/index`, title: 'Every operation', text: first },
    ...tags.map((tag) => ({ page: `${FOLDER}/${slug(tag.name)}`, title: tag.name, text: tagPage(document, tag) })),
  ];
}

function firstSentence(text) {
  return `${text.split('. ')[0].replace(/\.$/, '')}.`;
}

function slug(name) {
  return name.toLowerCase().replaceAll(' ', '-');
}

function tagPage(document, { name, description = '', externalDocs }) {
  const operations = [...Object.entries(document.paths), ...Object.entries(document.webhooks)].flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, one]) => one.tags?.includes(name))
      .map(([method, one]) => operationText(document, method, path, one)),
  );
  const schemas = usedSchemas(document, operations.join('')).map((one) => {
    const schema = document.components.schemas[one];
    const text = typeof schema.description === 'string' ? `<p>${inline(schema.description)}</p>` : '';
    return html(`${heading(3, `schema-${one}`, one)}${text}<div class="type">${typeOf(schema)}</div>`);
  });
  const guide = externalDocs ? ` [More](${localLink(externalDocs.url)})` : '';
  return [
    `# ${name}`,
    description + guide,
    ...operations,
    ...(schemas.length > 0 ? ['## Schemas', 'A `?` marks members that may be absent.', ...schemas] : []),
  ].join('\n\n');
}

/** HTML that Markdown leaves alone: it ends at an empty line. */
function html(text) {
  return `<div>\n${text.replace(/\n\s*\n/g, '\n')}\n</div>`;
}

/** A link to a guide, from a page of the reference. */
function localLink(url) {
  return url.replace(/^.*\/docs\/interface\/([\w-]+)/, '../interface/$1.md');
}

/** The components that a text links to, and those that these link to. */
function usedSchemas({ components: { schemas } }, text) {
  const found = new Set();
  const look = (part) => {
    for (const [, name] of part.matchAll(/href="#schema-([\w-]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      look(typeOf(schemas[name]));
    }
  };
  look(text);
  return [...found];
}

function operationText(document, method, path, one) {
  const { operationId, summary, description = '', parameters = [], requestBody, responses, externalDocs } = one;
  const route = path.startsWith('/') ? ` <code>${escapeHtml(path)}</code>` : '';
  const rows = parameters.map((parameter) => parameterRow(document, parameter));
  const answers = Object.entries(responses).map(([status, answer]) => ({
    status,
    ...resolveReference(document.components.responses, answer),
  }));
  const refusals = answers.filter(({ status }) => Number(status) >= 400);
  return [
    html(
      `${heading(2, operationId, inline(summary))}<p class="route"><span class="method ${method}">${method.toUpperCase()}</span>${route}</p>`,
    ),
    description + (externalDocs ? ` [More](${localLink(externalDocs.url)})` : ''),
    ...(rows.length > 0 ? [html(`<h3>Parameters</h3><dl class="members">${rows.join('')}</dl>`)] : []),
    ...(requestBody ? [html('<h3>Request</h3>'), ...contentText(requestBody.content)] : []),
    ...answers
      .filter((answer) => !refusals.includes(answer))
      .flatMap(({ status, description: text = '', content = {} }) => [
        html(`<h3>Answer ${status}</h3><p>${inline(text)}</p>`),
        ...contentText(content),
      ]),
    ...(refusals.length > 0 ? [refusalsText(refusals)] : []),
  ].join('\n\n');
}

/** What is refused, closed at first: it is long, and much the same everywhere. */
function refusalsText(refusals) {
  const rows = refusals.map(({ status, description = '' }) => `**${status}**\n\n${description}`);
  return `<details class="refusals"><summary>Refusals</summary>\n\n${rows.join('\n\n')}\n\n</details>`;
}

function parameterRow(document, parameter) {
  const {
    name,
    in: place,
    required,
    description = '',
    schema,
  } = resolveReference(document.components.parameters, parameter);
  const names = Object.keys(schema.properties ?? {}).map((one) => `<code>${escapeHtml(one)}</code>`);
  const type = name === 'filters' ? `members: ${names.join(' ')}` : typeOf(schema);
  const mark = required ? '' : ' <span class="soft">?</span>';
  return term(
    `<code>${escapeHtml(name)}</code>${mark}`,
    `${type} <span class="soft">in the ${place}. ${inline(description)}</span>`,
  );
}

function contentText(content) {
  return Object.entries(content).flatMap(([type, { schema, example }]) => {
    const isJson = typeof example !== 'string';
    const text = isJson ? JSON.stringify(example, null, 2) : example;
    const shown = text === undefined ? [] : [`\`\`\`${isJson ? 'json' : 'text'}\n${text.replace(/\n$/, '')}\n\`\`\``];
    return [html(`<div class="type"><span class="soft">${escapeHtml(type)}:</span> ${typeOf(schema)}</div>`), ...shown];
  });
}

function resolveReference(parts, part) {
  return part.$ref === undefined ? part : parts[part.$ref.split('/').at(-1)];
}
