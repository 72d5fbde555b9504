import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderLimits } from '../../../scripts/limits.mjs';
import { renderSettings } from '../src/config.js';
import { kinds } from '../src/kinds/registry.js';
import { renderMetrics } from '../src/metrics.js';
import { runTour } from './sdk/tour.js';
import { anchorsOf, expectSection, pagesOf, read, root, section } from './support/documents.js';
import { linesOfSources } from './support/log-lines.js';
import { withOwnServer } from './support/server.js';

describe('docs/tour.md', () => {
  const server = withOwnServer({ deliveryAllowPrivate: true });
  const shownIn = (path: string) => section(path, 'tour').replace(/^```text\n(.*)```\n$/s, '$1');

  it('shows the tour as it is', async () => {
    const { out } = await runTour(server.current.url);
    expect(comparable(shownIn('docs/tour.md'))).toBe(comparable(out));
  });

  it('has what the README shows of it', () => {
    const shown = shownIn('README.md');
    expect(shown.split('\n').length).toBeGreaterThan(10);
    expect(shownIn('docs/tour.md')).toContain(shown);
  });
});

/**
 * The text of a tour without what differs each time: addresses, names, keys, luids, the hash of a key's record, and how
 * much is sealed by then.
 */
function comparable(text: string): string {
  return text
    .trim()
    .replace(/http:[^\s,]+?(?=:?[\s,])/g, 'URL')
    .replace(/evt_[\w-]{17}/g, 'EVENT')
    .replace(/(leaf \d+ of )\d+, in [^\s/]+\/log\/ldg\.[\w-]{17}$/gm, '$1SIZE, in LOG')
    .replace(/200: .*, UP/, 'UP')
    .replace(/tour-[0-9a-f]{8}/g, 'LEDGER')
    .replace(/\$[a-z]{3}\.[\w-]{17}/g, 'LUID')
    .replace(/[A-Za-z0-9+/]{43}=/g, 'KEY')
    .replace(/key [A-Za-z0-9+/]{8}…/g, 'KEY')
    .replace(/(\$?LUID, hash) [0-9a-f]{12}…/g, '$1');
}

describe('docs/operations', () => {
  const server = withOwnServer();

  it('has the metrics as they are', () => {
    expectSection('docs/operations/monitoring.md', 'metrics', renderMetrics(server.current.server.metrics));
  });

  it('explains every line of the log at level warn and above, and no other', async () => {
    const rows = [...section('docs/operations/alarms.md', 'lines').matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)];
    const told = rows.map(([, text, level]) => `${level}: ${text}`);
    const written = (await linesOfSources()).map(({ text, level }) => `${level}: ${text}`);
    expect(told.toSorted()).toEqual([...new Set(written)].toSorted());
  });

  it('has the limits as they are (npm run limits-docs)', () => {
    expectSection('docs/operations/limits.md', 'limits', renderLimits());
  });

  it('has the settings as they are', () => {
    expectSection('docs/operations/settings.md', 'settings', renderSettings());
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
    const named = [...read('docs/threat-model.md').matchAll(/`([\w./-]+\.test\.ts|[\w/-]+\/\*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(150);
    for (const path of named) {
      const folder = path.startsWith('packages/') ? '' : 'packages/server/test';
      expect(existsSync(join(root, folder, path.replace('/*', ''))), path).toBe(true);
    }
  });
});

describe('every document', async () => {
  const decisions = (await readdir(join(root, 'docs/decisions'))).map((name) => `docs/decisions/${name}`);
  const guides = (await Promise.all(['docs', 'docs/guides', 'docs/interface', 'docs/operations'].map(pagesOf))).flat();
  const packages = (await readdir(join(root, 'packages')))
    .map((name) => `packages/${name}/README.md`)
    .filter((path) => existsSync(join(root, path)));
  const examples = (await readdir(join(root, 'examples'))).map((name) => `examples/${name}/README.md`);
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'deploy/helm/countersign/README.md',
    ...packages,
    ...examples,
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

  it('can be reached from the index', () => {
    const reached = new Set(['docs/README.md']);
    for (const path of reached) {
      for (const [, file = ''] of read(path).matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g)) {
        reached.add(posix.join(dirname(path), file));
      }
    }
    expect(documents.filter((path) => !reached.has(path))).toEqual([]);
  });

  it('tells each deviation once', () => {
    const lines = read('docs/deviations.md')
      .split('\n')
      .filter((line) => line.length > 60);
    expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
  });

  it('that comes first is short', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  it.each(documents)('%s calls each decision by its own number', (path) => {
    for (const [link, number, file] of read(path).matchAll(/\[(\d{4})\]\([^)]*?(\d{4})-[^)]*\)/g)) {
      expect(number, link).toBe(file);
    }
  });

  const { scripts } = JSON.parse(read('package.json'));

  it.each(documents)('%s names scripts of npm that are there', (path) => {
    for (const [command, name] of read(path).matchAll(/\bnpm run\s+([a-z][\w:-]*)/g)) {
      expect(Object.keys(scripts), command).toContain(name);
    }
  });

  it('lists every decision by its number, and leads from each number that was ever given to a page', () => {
    const index = 'docs/decisions/README.md';
    const pages = decisions.filter((path) => path !== index).map((path) => /(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]);
    const listed = [...read(index).matchAll(/\[(\d{4})\]\(\d{4}-[a-z0-9-]+\.md\)(?=[ ,].*\|$)/gm)].map(
      ([, number]) => number,
    );
    expect(pages.filter((number) => !listed.includes(number))).toEqual([]);
    const merged = [...read(index).matchAll(/\| (\d{4}) \| \[/g)].map(([, number]) => number);
    const numbers = [...pages, ...merged].map(Number).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, place) => place + 1));
    for (const path of decisions) expect(read(path).split('\n').length, path).toBeLessThanOrEqual(200);
  });
});

/** How comments cite a page of `docs/interface/`: `interface/records#create`, or a page as a whole. */
const CITATION = /\binterface\/([A-Za-z]+(?:-[a-z]+)*)(?:#([a-z-]+))?/g;

/** Every source, test and script, with its text. */
async function sources(): Promise<[path: string, text: string][]> {
  const folders = ['packages', 'scripts', 'bench', 'examples'];
  const found = await Promise.all(
    folders.map(async (folder) => {
      const paths = (await readdir(join(root, folder), { recursive: true })).map((path) => `${folder}/${path}`);
      return paths.filter((path) => /\.(ts|mjs|cjs|js)$/.test(path) && !/\/(dist|\.bundle|node_modules)\//.test(path));
    }),
  );
  return found.flat().map((path) => [path, read(path)]);
}

describe('citations in comments', () => {
  it('lead to sections of docs/interface', async () => {
    let cited = 0;
    for (const [path, text] of await sources()) {
      for (const [citation, page = '', anchor] of text.matchAll(CITATION)) {
        cited += 1;
        const document = `docs/interface/${page}.md`;
        expect(existsSync(join(root, document)), `${path}: ${citation}`).toBe(true);
        if (anchor) expect(anchorsOf(read(document)), `${path}: ${citation}`).toContain(anchor);
      }
    }
    expect(cited).toBeGreaterThan(400);
  });

  it('name nothing that is not in the repository', async () => {
    for (const [path, text] of await sources()) {
      expect(/\b[Cc]ontract \d\d\b|[( ]0\d §\d/.exec(text)?.[0], path).toBe(undefined);
    }
  });
});

describe('docs/architecture.md and docs/decisions', async () => {
  const files = (await sources()).map(([path]) => path);
  const decisions = (await readdir(join(root, 'docs/decisions'))).map((name) => `docs/decisions/${name}`);

  it.each(['docs/architecture.md', 'docs/glossary.md', ...decisions])('%s names sources that are there', (path) => {
    for (const [, source = ''] of read(path).matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:ts|mjs))`/g)) {
      expect(
        files.some((file) => `/${file}`.endsWith(`/${source}`)),
        source,
      ).toBe(true);
    }
  });

  it('lists the rooms of the server in their order', () => {
    const lines = JSON.parse(read('lint/rooms.json')) as (string | { readonly room: string })[];
    const rooms = lines.map((line) => (typeof line === 'string' ? line : line.room));
    const rows = read('docs/architecture.md').matchAll(/^\| (`.*?) \|/gm);
    const folders = [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([\w-]+)\/`/g)].map(([, name]) => name));
    expect(folders).toEqual(rooms.filter((room) => !room.endsWith('.ts')));
  });
});
