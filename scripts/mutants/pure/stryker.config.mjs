import { partOfRun, workFolderOf } from './parts.mjs';

const { name, sources } = partOfRun();

/** What a copy of the repository needs for the tests of any part. */
const COPIED = [
  'package.json',
  'tsconfig.base.json',
  'docs/**',
  'scripts/**',
  'packages/*/package.json',
  'packages/*/tsconfig.json',
  'packages/{protocol,safe-json-schema,server}/{src,test,vectors}/**',
];

/** How StrykerJS changes a part, and judges each change by the tests that reach it. */
export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  // In processes, as in every other run: a thread has a larger stack.
  vitest: { configFile: 'scripts/mutants/pure/vitest.config.mjs', related: false, pool: 'forks' },
  mutate: sources,
  coverageAnalysis: 'perTest',
  // What runs once, when a file is loaded, would have every test run anew.
  ignoreStatic: true,
  ignorePatterns: ['**', ...COPIED.map((pattern) => `!${pattern}`)],
  tempDirName: workFolderOf(name),
  cleanTempDir: 'always',
  // A second run judges only what has changed since the first.
  incremental: true,
  incrementalFile: `node_modules/.cache/mutants/${name}.json`,
  reporters: ['clear-text', 'progress-append-only', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  allowConsoleColors: process.stdout.isTTY === true,
  htmlReporter: { fileName: `coverage/mutants-${name}.html` },
};
