import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const src = 'packages/server/src';
const upward = 'lint/style/noRestrictedImports';

const REFUSED: readonly (readonly [folder: string, text: string, rule: string])[] = [
  [`${src}/access`, `import '../kinds/kind.js';`, upward],
  [`${src}/access`, `import type { Store } from '../store/store.js';\nexport type A = Store;`, upward],
  [`${src}/access`, `export * from '../http/server.js';`, upward],
  [`${src}/access`, `import '../app.js';`, upward],
  [`${src}/access`, `import '../../test/support/client.js';`, upward],
  [`${src}/store/queries`, `import '../../ledgers/session.js';`, upward],
  [`${src}/new-room`, `import '../base/clock.js';`, upward],
  [src, `import './base/clock.js';`, upward],
  ['packages/protocol/src', `import '@countersign/server';`, upward],
  ['packages/protocol/src', `import '../../server/src/base/clock.js';`, upward],
  ['packages/protocol/src', `import 'node:fs';`, 'lint/correctness/noNodejsModules'],
  ['packages/protocol/src', `import './log/index.js';`, upward],
  ['packages/protocol/src/log', `import '../index.js';`, upward],
  ['packages/protocol/src/log', `import '../../../server/src/base/clock.js';`, upward],
  ['packages/protocol/src/log', `import 'node:fs';`, 'lint/correctness/noNodejsModules'],
  ['packages/client/src', `import '@countersign/protocol/log';`, upward],
  ['packages/client/src', `import '@countersign/server';`, upward],
  ['packages/client/src', `import '../../server/src/base/clock.js';`, upward],
  ['packages/client/src', `import 'node:fs';`, 'lint/correctness/noNodejsModules'],
  ['packages/embedded-postgres/src', `import '@countersign/protocol';`, upward],
  ['packages/safe-json-schema/src', `import '../../server/src/base/clock.js';`, upward],
  ['scripts', `import '../packages/server/test/support/client.js';`, upward],
  [`${src}/access`, 'export const now = Date.now();', 'plugin'],
  [`${src}/access`, 'export const clock = { now: Date.now };', 'plugin'],
  [`${src}/access`, 'export const now = new Date();', 'plugin'],
  [`${src}/access`, 'export const chance = Math.random();', 'plugin'],
  [`${src}/access`, `export const answer = fetch('https://example.org');`, 'lint/style/noRestrictedGlobals'],
  [`${src}/access`, `console.log('here');`, 'lint/suspicious/noConsole'],
  [`${src}/access`, 'export const { PORT } = process.env;', 'lint/style/noProcessEnv'],
  ...['packages/client/src', 'packages/protocol/src', 'scripts', 'examples/bank', 'bench'].flatMap((place) => [
    [place, `export const value = JSON.parse('1');`, 'plugin'] as const,
    [place, 'export const values = [].map(JSON.parse);', 'plugin'] as const,
    [place, 'const { parse } = JSON;\nexport const value = parse();', 'plugin'] as const,
    [place, `export const value = globalThis.JSON.parse('1');`, 'plugin'] as const,
    [place, 'export const value = (answer) => answer.json();', 'plugin'] as const,
  ]),
  [`${src}/access`, lines(71), 'lint/complexity/noExcessiveLinesPerFunction'],
  [`${src}/access`, 'f();\n'.repeat(401), 'lint/style/noExcessiveLinesPerFile'],
];

const TAKEN: readonly (readonly [folder: string, text: string])[] = [
  [`${src}/kinds`, `import '../access/decide.js';`],
  [`${src}/store/queries`, `import '../statistics.js';\nimport '../../base/clock.js';`],
  ['packages/client/src', `import '@countersign/protocol';`],
  ['packages/protocol/src/log', `import '../suite.js';`],
  [`${src}/access`, `export const moment = new Date(0);`],
  [`${src}/access`, `export const text = JSON.stringify(0);`],
  [`${src}/access`, lines(70)],
  [`${src}/access`, 'f();\n'.repeat(400)],
];

/** A function of so many lines. */
function lines(count: number): string {
  return `export function f() {\n${'  f();\n'.repeat(count)}}\n`;
}

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: string } }[];
}

/** A release of the linter may read its settings otherwise: then everything would pass, in silence. */
describe('the linter', () => {
  let folder: string;
  const found = new Map<string, string[]>();
  const fileOf = (place: string, index: number) => `${place}/probe-${index}.ts`;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-lint-'));
    for (const settings of ['biome.json', '.gitignore', 'lint']) {
      cpSync(join(root, settings), join(folder, settings), { recursive: true });
    }
    for (const [index, [place, text]] of [...REFUSED, ...TAKEN].entries()) {
      const file = join(folder, fileOf(place, index));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const { stdout, stderr } = spawnSync(process.execPath, [biome, ...args], { cwd: folder, encoding: 'utf8' });
    expect(stdout, stderr).toContain('"diagnostics"');
    for (const { category, location } of (JSON.parse(stdout) as Report).diagnostics) {
      found.set(location.path, [...(found.get(location.path) ?? []), category]);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(REFUSED.map(([place, text, rule], index) => [place, firstLine(text), fileOf(place, index), rule] as const))(
    'refuses, in %s: %s',
    (_place, _text, file, rule) => {
      expect(found.get(file)).toContain(rule);
    },
  );

  it.each(
    TAKEN.map(([place, text], index) => [place, firstLine(text), fileOf(place, REFUSED.length + index)] as const),
  )('takes, in %s: %s', (_place, _text, file) => {
    expect(found.get(file) ?? []).not.toContainEqual(expect.stringMatching(/plugin|noRestricted|noExcessive/));
  });
});

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!;
}
