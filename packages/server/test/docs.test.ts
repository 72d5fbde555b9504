import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderSettings } from '../src/config.js';
import { kinds } from '../src/kinds/registry.js';
import { renderMetrics } from '../src/metrics.js';
import { runTour } from './sdk/tour.js';
import { withServer } from './support/server.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The texts of the sources of a package. */
async function sourcesOf(name: string): Promise<string[]> {
  const folder = `packages/${name}/src`;
  const paths = await readdir(join(root, folder), { recursive: true });
  return paths.filter((path) => path.endsWith('.ts')).map((path) => read(`${folder}/${path}`));
}

/** What stands between `<!-- name -->` and `<!-- /name -->` in a document. */
function section(path: string, name: string): string {
  const [, content] = new RegExp(`<!-- ${name} -->\n(.*?)<!-- /${name} -->`, 's').exec(read(path)) ?? [];
  if (content === undefined) throw new Error(`${path} has no section ${name}`);
  return content;
}

describe('the README', () => {
  const server = withServer();

  it('shows the tour as it is', async () => {
    const { out } = await runTour(server.current.url);
    const shown = section('README.md', 'tour').replace(/^```text\n(.*)```\n$/s, '$1');
    expect(comparable(shown)).toBe(comparable(out));
  });
});

/** The text of a tour without what differs each time: addresses, names, keys, luids, and the hash of a key's record. */
function comparable(text: string): string {
  return text
    .trim()
    .replace(/http:\S+/, 'URL')
    .replace(/200: .*, UP/, 'UP')
    .replace(/tour-[0-9a-f]{8}/g, 'LEDGER')
    .replace(/\$[a-z]{3}\.[\w-]{17}/g, 'LUID')
    .replace(/[A-Za-z0-9+/]{43}=/g, 'KEY')
    .replace(/key [A-Za-z0-9+/]{8}…/g, 'KEY')
    .replace(/(\$?LUID, hash) [0-9a-f]{12}…/g, '$1');
}

describe('docs/operations.md', () => {
  const server = withServer();

  it('has the metrics as they are', () => {
    expect(section('docs/operations.md', 'metrics').trim()).toBe(renderMetrics(server.current.server.metrics).trim());
  });

  it('explains lines of the log that the server writes', async () => {
    const told = [...section('docs/operations.md', 'lines').matchAll(/^\| `([^`]+)`/gm)].map(([, line = '']) => line);
    const text = (await Promise.all(['server', 'embedded-postgres'].map(sourcesOf))).flat();
    for (const line of told)
      expect(
        text.some((source) => source.includes(line)),
        line,
      ).toBe(true);
    expect(told.length).toBeGreaterThan(5);
  });

  it('has the settings as they are', () => {
    expect(section('docs/operations.md', 'settings').trim()).toBe(renderSettings().trim());
  });
});

describe('docs/interface/domains.md', () => {
  it('says of every kind, and of policies of every schema, what one in a domain decides', () => {
    const rows = [...read('docs/interface/domains.md').matchAll(/^\| ([a-z][a-z-]*)(?:: ([a-z, ]+))?.*\|$/gm)];
    expect(new Set(rows.map(([, kind]) => kind))).toEqual(new Set(kinds.map(({ name }) => name)));
    const schemas = rows.flatMap(([, kind, named = '']) => (kind === 'policy' ? named.split(',') : []));
    const told = schemas.map((schema) => schema.trim().split(' ')[0]);
    for (const one of ['access', 'status', 'processing', 'authentication', 'labels', 'layout', 'schedule', 'dtc']) {
      expect(told).toContain(one);
    }
  });
});

describe('docs/threat-model.md', () => {
  it('names tests that are there', () => {
    const named = [...read('docs/threat-model.md').matchAll(/`([\w/-]+\.test\.ts|[\w-]+\/\*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(30);
    for (const path of named) {
      const folder = path.startsWith('packages/') ? '' : 'packages/server/test';
      expect(existsSync(join(root, folder, path.replace('/*', ''))), path).toBe(true);
    }
  });
});

describe('every document', async () => {
  const decisions = (await readdir(join(root, 'docs/decisions'))).map((name) => `docs/decisions/${name}`);
  const guides = (await Promise.all(['docs', 'docs/interface'].map(pagesOf))).flat();
  const packages = ['packages/protocol/README.md', 'packages/server/README.md'];
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...packages,
    ...guides,
    ...decisions,
  ];

  it.each(documents)('%s leads only to what is there', (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
    for (const [link, file = '', anchor] of links) {
      const target = file === '' ? join(root, path) : join(root, dirname(path), file);
      expect(existsSync(target), link).toBe(true);
      if (anchor) expect(anchorsOf(readFileSync(target, 'utf8')), link).toContain(anchor);
    }
  });

  it.each(documents)('%s calls each decision by its own number', (path) => {
    for (const [link, number, file] of read(path).matchAll(/\[(\d{4})\]\([^)]*?(\d{4})-[^)]*\)/g)) {
      expect(number, link).toBe(file);
    }
  });

  it('numbers decisions without gaps, each on a page', () => {
    const numbers = decisions.map((path) => Number(/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1])).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    for (const path of decisions) expect(read(path).split('\n').length, path).toBeLessThanOrEqual(70);
  });
});

/** The pages in a folder, not those in folders within it. */
async function pagesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder));
  return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`);
}

/** The anchors that headings of a document get. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
