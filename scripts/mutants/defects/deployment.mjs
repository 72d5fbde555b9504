/** How the service starts, ends, and keeps what is its operator's. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

const postgres = (path) => `packages/embedded-postgres/src/${path}`;
const postgresTests = ['packages/embedded-postgres/test/'];

export const tests = [test('config.test.ts'), test('ledgers/')];

export const mutants = [
  {
    id: 'deployment-key-file-readable',
    file: src('keys/master-key.ts'),
    find: '(mode & 0o077) !== 0',
    replace: '(mode & 0o007) !== 0',
    breaks: "The master key's file may be read by its group.",
  },
  {
    id: 'deployment-key-file-mode',
    file: src('keys/master-key.ts'),
    find: "toString('base64')}\\n`, 0o600)",
    replace: "toString('base64')}\\n`, 0o644)",
    breaks: "The master key's file is made readable for everybody.",
  },
  {
    id: 'deployment-key-text',
    file: src('keys/master-key.ts'),
    find: " || key.toString('base64') !== text) {",
    replace: ') {',
    breaks: 'A mistyped master key is taken for another one.',
  },
  {
    id: 'deployment-key-length',
    file: src('keys/master-key.ts'),
    find: 'if (key.length !== bytes || ',
    replace: 'if (key.length < bytes || ',
    breaks: 'A master key is longer than the cipher takes.',
  },
  {
    id: 'deployment-key-check',
    file: src('store/key-check.ts'),
    find: 'if ((await findStoredCheck(pool)) !== check) {',
    replace: 'if (!(await findStoredCheck(pool))) {',
    breaks: 'A database is opened with the master key of another.',
    tests: [test('store/append-only.test.ts')],
  },
  {
    id: 'deployment-url-with-password',
    file: src('config.ts'),
    find: '&& !url.username && !url.password && ',
    replace: '&& ',
    breaks: 'A password in the public address is shown to every client.',
  },
  {
    id: 'deployment-numbers',
    file: src('config.ts'),
    find: 'if (!(number >= least && number <= most)) {',
    replace: 'if (!(number >= least && number <= most + 1)) {',
    breaks: 'A setting is one more than it may be.',
  },
  {
    id: 'deployment-migration-left-out',
    file: src('store/migrate.ts'),
    find: "'0003-lists': listsSchema,",
    replace: "'0003-lists': 'select 1',",
    breaks: 'The schema is another than the one that was reviewed.',
    tests: [test('upgrade/schema.test.ts')],
  },
  {
    id: 'deployment-upgrade-without-proofs',
    file: src('store/migrations/0005-used-proofs.ts'),
    find: 'order by c.moment, c.luid, c.change\non conflict do nothing;',
    replace: 'limit 0;',
    breaks: 'What was dropped before an upgrade is made again after it.',
    tests: [test('upgrade/upgrade.test.ts')],
  },
  {
    id: 'deployment-upgrade-without-filters',
    file: src('store/migrations/0008-answers.ts'),
    find: "where kind = 'circle-signer';",
    replace: 'where false;',
    breaks: 'Records of an earlier release are not found by a filter of this one.',
    tests: [test('upgrade/upgrade.test.ts')],
  },
  {
    id: 'postgres-name',
    file: postgres('start.ts'),
    find: 'if (!PLAIN_NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} cannot name a database`);',
    replace: '',
    breaks: 'The name of a database becomes part of a statement as it is.',
    tests: postgresTests,
  },
  {
    id: 'postgres-restarts',
    file: postgres('keep.ts'),
    find: 'return ends.length > times;',
    replace: 'return ends.length > times + 1;',
    breaks: 'A PostgreSQL that ends again and again is started once more than it may.',
    tests: postgresTests,
  },
  {
    id: 'postgres-lock',
    file: postgres('lock.ts'),
    find: 'if (holder !== undefined) throw new Error(`${setting} ${dataDir} is in use by process ${holder}`);',
    replace: '',
    breaks: 'Two servers use one data directory.',
    tests: postgresTests,
  },
  {
    id: 'postgres-owner',
    file: postgres('lock.ts'),
    find: '(await startOf(owner.pid)) === owner.started',
    replace: '(await startOf(owner.pid)) !== undefined',
    breaks: 'A process that got the id of a killed server keeps the next start from its folder.',
    tests: postgresTests,
  },
  {
    id: 'connections-beside',
    file: src('store/embedded.ts'),
    find: '(workers + 1) * countConnections()',
    replace: 'workers * countConnections()',
    breaks: 'A worker that is started beside the others gets no connection.',
    tests: [test('store/embedded.test.ts')],
  },
  {
    id: 'connections-given',
    file: postgres('server.ts'),
    find: 'max_connections: `${connections}`, ',
    replace: '',
    breaks: 'However many processes there are, PostgreSQL takes a hundred connections.',
    tests: [test('store/embedded.test.ts'), ...postgresTests],
  },
];
