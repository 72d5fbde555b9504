import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../server/src/config.js';
import { isAnyOfSeveral } from '../../../server/src/store/hosts/database-url.js';
import { createMigratedDatabase } from '../../../server/test/support/database.js';
import { pagesOf, read, root } from '../../../server/test/support/documents.js';
import { blockOf, blocksOfPage, inlineOf } from '../../../server/test/support/page.js';
import { runSql } from '../../../server/test/support/sql.js';
import { Cli, withFolder } from '../support/cli.js';

const HERE = 'packages/cli/test/runbooks/pages.test.ts';
const EMBEDDED = 'packages/cli/test/runbooks/embedded.deep.test.ts';
const SYSTEMD = 'packages/cli/test/runbooks/systemd.deep.test.ts';
const BASEBACKUP = 'packages/server/test/failover/basebackup.deep.test.ts';
const BOOKS = 'packages/server/test/money/operations.test.ts';
const RULES = 'packages/server/test/access-http/who-makes-ledgers.test.ts';
const DELIVERIES = 'packages/server/test/deliveries/documented.test.ts';
const CLUSTER = 'packages/server/test/clusters/runbook.deep.test.ts';
const INTENTS = 'packages/cli/test/admin/intents.test.ts';

/** Which test takes each block of docs/operations from the page, and runs it: by the page, and how the block begins. */
const RUN_BY: readonly (readonly [page: string, start: string, test: string])[] = [
  ['backup', 'countersign admin backup', EMBEDDED],
  ['backup', 'countersign admin restore', EMBEDDED],
  ['backup', 'archive_mode = on', BASEBACKUP],
  ['backup', 'pg_basebackup', BASEBACKUP],
  ['backup', 'restore_command', BASEBACKUP],
  ['cluster', 'shared_preload_libraries', CLUSTER],
  ['cluster', 'select citus_set_coordinator_host', CLUSTER],
  ['cluster', 'countersign admin cluster --isolate', 'packages/server/test/clusters/isolate.deep.test.ts'],
  ['cluster', 'countersign admin cluster --forget', 'packages/server/test/clusters/back-in-time.deep.test.ts'],
  ['database', 'runuser -u countersign', EMBEDDED],
  ['database', 'nsenter --mount', SYSTEMD],
  ['database', 'create role countersign_owner', SYSTEMD],
  ['database', 'DATABASE_URL=postgresql://countersign_owner', SYSTEMD],
  ['database', 'DATABASE_URL=postgresql://user:password@one', HERE],
  ['database', 'select ledger_id, wallet, symbol', BOOKS],
  ['deliveries', 'select l.handle as ledger, d.target', DELIVERIES],
  ['deliveries', 'countersign effect events retry', DELIVERIES],
  ['drain', 'countersign admin drain', 'packages/cli/test/admin/drain.test.ts'],
  ['erasure', 'countersign erase acme', EMBEDDED],
  ['install', 'npm install --prefix', SYSTEMD],
  ['install', 'systemctl enable --now', SYSTEMD],
  ['install', '[Service]', SYSTEMD],
  ['intents', 'select l.handle as ledger, r.handle as intent', BOOKS],
  ['intents', 'countersign admin intents acme', INTENTS],
  ['intents', 'countersign bridge update bank', INTENTS],
  ['intents', 'countersign intent sign rent-7', INTENTS],
  ['keys', 'countersign key create owner-2', EMBEDDED],
  ['keys', 'countersign ledger update --access', EMBEDDED],
  ['monitoring', 'scrape_configs', HERE],
  ['operators', 'ADMIN_PORT=9465', EMBEDDED],
  ['operators', 'countersign key create alice', EMBEDDED],
  ['read-only', 'countersign admin read-only on', EMBEDDED],
  ['tenants', 'set -a; . /etc/countersign/countersign.env', SYSTEMD],
  ['tenants', 'countersign admin doctor', EMBEDDED],
  ['tenants', 'countersign admin ledgers --order hour', EMBEDDED],
  ['tenants', 'countersign admin ledgers --owner', EMBEDDED],
  ['tenants', 'countersign admin suspend', EMBEDDED],
  ['tenants', 'countersign admin quota', EMBEDDED],
  ['tenants', 'countersign admin intents', EMBEDDED],
  ['tenants', '[\n  {"action": "create", "record": "ledger", "signer"', RULES],
  ['tenants', '[{"action": "read"', 'packages/cli/test/admin/invitations.test.ts'],
  ['tenants', '[\n  {"action": "create", "record": "ledger", "bearer"', RULES],
  ['tenants', 'countersign admin invite --note', EMBEDDED],
  ['tenants', 'COUNTERSIGN_INVITATION=', EMBEDDED],
  ['tenants', 'countersign admin invitations', EMBEDDED],
  ['tracing', 'npm install @opentelemetry', HERE],
];

/** Blocks that no test takes from the page: what runs the like of it, and why it does not take it. */
const NOT_TAKEN: readonly (readonly [page: string, start: string, by: string, why: string])[] = [
  [
    ...(['cluster', "select citus_add_node('10.0.0.4'"] as const),
    ...([
      'packages/server/test/clusters/moves.deep.test.ts',
      'it has no third worker, and moves each shard itself',
    ] as const),
  ],
];

/** A call that takes a block of a page, by how it begins. */
const TAKEN = /\b(?:blockOf|linesOf)\(\s*'([\w-]+)',\s*(?:'((?:[^'\\]|\\.)*)'|"([^"\\]*)")/g;

/** What a test takes from pages. */
function takenBy(path: string): { readonly page: string; readonly start: string }[] {
  return [...read(path).matchAll(TAKEN)].map(([, page = '', single, double = '']) => ({
    page,
    start: (single ?? double).replaceAll('\\n', '\n'),
  }));
}

const folder = withFolder();

it('every block of docs/operations is run by a test', async () => {
  const pages = (await pagesOf('docs/operations')).map((path) => /([\w-]+)\.md$/.exec(path)?.[1] ?? '');
  const blocks = pages.flatMap((page) => blocksOfPage(page).map(({ text }) => ({ page, text })));
  for (const { page, text } of blocks) {
    const is = ([of, start]: readonly [string, string, ...string[]]) => of === page && text.startsWith(start);
    const [run, left] = [RUN_BY.filter(is), NOT_TAKEN.filter(is)];
    expect([...run, ...left], `${page}:\n${text}`).toHaveLength(1);
    for (const [, , path] of left) expect(existsSync(join(root, path)), path).toBe(true);
    for (const [, , path] of run) {
      const takes = takenBy(path).some((one) => one.page === page && text.startsWith(one.start));
      expect(takes, `${path} does not take it from the page ${page}:\n${text}`).toBe(true);
    }
  }
  expect(blocks).toHaveLength(RUN_BY.length + NOT_TAKEN.length);
});

it('every command that the text of a page names is there, with its options', async () => {
  const cli = new Cli(folder.path);
  const pages = (await pagesOf('docs/operations')).map((path) => /([\w-]+)\.md$/.exec(path)?.[1] ?? '');
  const named = pages.flatMap((page) => inlineOf(page, 'countersign ').map((command) => ({ page, command })));
  expect(named.length).toBeGreaterThan(30);
  for (const { page, command } of named) {
    const [, ...words] = command.split(' ').filter((word) => word !== '…');
    const { out } = await cli.call([...words, '--help']);
    const [, usage = ''] = /^Usage: countersign (.*)$/m.exec(out) ?? [];
    // An unknown command gets the help of its group, which ends with what it takes.
    const path = usage.replace(/ \[options\].*$/, '').trim();
    expect(`${words.join(' ')} `, `${page}: ${command}`).toMatch(new RegExp(`^${path} `));
    expect(usage.endsWith('[command]') && words.length > path.split(' ').length, `${page}: ${command}`).toBe(false);
    for (const option of words.filter((word) => word.startsWith('--')))
      expect(out, `${page}: ${command}`).toContain(option);
  }
});

it('database: several hosts are named as the page shows it, and settle on a primary', () => {
  const [, url = ''] = blockOf('database', 'DATABASE_URL=postgresql://user:password@one')
    .trim()
    .split(/^DATABASE_URL=/);
  expect(isAnyOfSeveral(parseConfig({ DATABASE_URL: url }).databaseUrl ?? '')).toBe(false);
});

it('monitoring: Prometheus looks where the server tells its metrics, for the job that the rules expect', () => {
  const { metricsHost, metricsPort } = parseConfig({ METRICS_PORT: '' });
  const text = blockOf('monitoring', 'scrape_configs');
  expect(text).toContain(`targets: ["${metricsHost}:${metricsPort}"]`);
  const [, job = ''] = /job_name: (\w+)/.exec(text) ?? [];
  expect(read('deploy/monitoring/alerts.yaml')).toContain(`job="${job}"`);
  for (const [, file = ''] of text.matchAll(/rule_files: \[(\S+)\]/g))
    expect(existsSync(join(root, 'deploy/monitoring', file)), file).toBe(true);
});

it('tracing: installs the releases that are tested', () => {
  const { devDependencies } = JSON.parse(read('package.json'));
  const [, ...names] = blockOf('tracing', 'npm install @opentelemetry')
    .trim()
    .split(/ (?=@)/);
  expect(names).toHaveLength(3);
  for (const name of names) {
    const [, packageName = '', release = ''] = /^(@.+)@([\d.]+)$/.exec(name) ?? [];
    expect(`${devDependencies[packageName]}.`, name).toMatch(new RegExp(`^\\^${release.replaceAll('.', '\\.')}\\.`));
  }
});

describe('SQL in the text', () => {
  it('erasure, database: is taken by PostgreSQL', async () => {
    const database = await createMigratedDatabase();
    try {
      const [, tables = ''] =
        /pages of the database: old row versions in ([^|]+) \|/.exec(read('docs/operations/erasure.md')) ?? [];
      const names = [...tables.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      expect(names.length).toBeGreaterThan(4);
      const statements = [
        ...names.map((name) => `${inlineOf('erasure', 'vacuum full')[0]} ${name}`),
        ...['delete from pg_statistic', 'analyze', 'checkpoint', 'select pg_switch_wal'].flatMap((start) =>
          inlineOf('erasure', start),
        ),
        ...inlineOf('database', 'revoke create on schema public'),
      ];
      expect(statements).toHaveLength(names.length + 5);
      for (const statement of statements) await runSql(database.url, statement);
    } finally {
      await database.drop();
    }
  });
});
