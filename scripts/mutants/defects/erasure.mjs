/** What is erased stays erased, and only that. */
const src = (path) => `packages/server/src/${path}`;
const sql = (name) => `packages/server/sql/${name}.sql`;
const test = (path) => `packages/server/test/${path}`;

export const mutants = [
  {
    id: 'erasure-texts',
    file: src('store/erasure.ts'),
    find: 'and luid = $2 and change < $3`,',
    replace: 'and luid = $2 and change = $3 - 1`,',
    breaks: 'Of the versions the last one is erased only.',
    tests: [test('erasure/forgotten.kinds.test.ts')],
  },
  {
    id: 'erasure-salts',
    file: src('store/erasure.ts'),
    find: 'update log_leaf set salts = null',
    replace: 'update log_leaf set salts = salts',
    breaks: 'Whoever has the salts can tell a guessed text by its leaf.',
    tests: [test('erasure/forgotten.kinds.test.ts')],
  },
  {
    id: 'erasure-right',
    file: src('operations/erase.ts'),
    find: 'await authorize(session, caller, requestFor(kind, stored));',
    replace: '',
    breaks: 'Everyone may erase.',
    tests: [test('erasure/erase.test.ts')],
  },
  {
    id: 'erasure-unsealed-meanwhile',
    file: src('store/erasure.ts'),
    find: 'if (await isUnsealed(client, ledger, luid)) throw new Unsealed();',
    replace: '',
    breaks: 'A log that begins anew meanwhile never gets leaves of what is erased.',
    tests: [test('erasure/erase.test.ts')],
  },
  {
    id: 'erasure-trigger',
    file: sql('migrations/0015-erasure'),
    find: "order by c.change desc limit 1) = 'erase'",
    replace: 'order by c.change desc limit 1) is not null',
    breaks: 'Texts go without a change that says so.',
    tests: [test('store/append-only.test.ts')],
  },
  {
    id: 'erasure-intent-compare-and-set',
    file: sql('store_batch_1'),
    find: 'r.luid = one.luid and r.change = one.was and r.status',
    replace: 'r.luid = one.luid and r.status',
    breaks: 'A proof that comes meanwhile stays behind, or the history has a gap.',
    tests: [test('erasure/intents-races.deep.test.ts')],
  },
];
