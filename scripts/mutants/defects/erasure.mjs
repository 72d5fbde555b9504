/** Erasing records: what would stay of them, and who might do it. */
const src = (path) => `packages/server/src/${path}`;
const test = (name) => `packages/server/test/erasure/${name}.test.ts`;

export const tests = ['packages/server/test/erasure/'];

/** `[id, file, tests, find, replace, breaks]` */
const list = [
  [
    'texts',
    'store/erasure.ts',
    ['forgotten'],
    'and luid = $2 and change < $3`,',
    'and luid = $2 and change = $3 - 1`,',
    'Of the versions the last one is erased only.',
  ],
  [
    'salts',
    'store/erasure.ts',
    ['forgotten'],
    'update log_leaf set salts = null',
    'update log_leaf set salts = salts',
    'Whoever has the salts can tell a guessed text by its leaf.',
  ],
  [
    'deliveries',
    'store/erasure.ts',
    ['deliveries'],
    'await emptyDeliveries(client, erasure, traces.deliveries);',
    '',
    'Deliveries tell of the record, and are still made.',
  ],
  [
    'used-proofs',
    'store/erasure.ts',
    ['forgotten'],
    'delete from used_proof where ledger_id = $1 and digest',
    'delete from used_proof where ledger_id = 0 * $1::bigint and digest',
    'Names of used proofs tell whether a guess is right.',
  ],
  ['veiled', 'store/erasure.ts', ['erase'], 'uses.map(veil)],', '[]],', 'A body that made the record makes another.'],
  [
    'veil-key',
    'integrity/veil.ts',
    ['veil'],
    "createHmac('sha256', masterKey)",
    "createHmac('sha256', '')",
    'Whoever has the database can find out what was signed.',
  ],
  [
    'unsealed',
    'store/erasure.ts',
    ['forgotten', 'erase'],
    'if (await isUnsealed(client, ledger, luid)) throw new Unsealed();',
    '',
    'Salts that wait in the queue are stored after the erasure.',
  ],
  [
    'backfill',
    'store/erasure.ts',
    ['erase'],
    'union all select from log_backfill where ledger_id = $1 limit 1',
    'limit 1',
    'A version that has no leaf yet is erased, and never gets one.',
  ],
  [
    'rows',
    'store/erasure.ts',
    ['rows'],
    'await forget(client, erasure, traces.keys);',
    '',
    'Keys, and hashes of schedules, stay.',
  ],
  [
    'any',
    'access/matchers.ts',
    ['erase'],
    'if (!NAMED_ONLY.has(name)) return nameMatches(matcher, name);',
    'return nameMatches(matcher, name);',
    'Rules from before grant what cannot be taken back.',
  ],
  [
    'right',
    'operations/erase.ts',
    ['erase'],
    "await authorize(session, caller, toAccessRequest('erase', kind, stored));",
    '',
    'Everyone may erase.',
  ],
  [
    'other-record',
    'operations/erase.ts',
    ['erase'],
    'if (data.luid !== stored.record.luid)',
    'if (data.luid === undefined)',
    'A signature for one record erases another.',
  ],
  [
    'number',
    'operations/erase.ts',
    ['erase'],
    'if (data.change !== latest.change)',
    'if (data.change === undefined)',
    'Versions are erased that who signed has not seen.',
  ],
  [
    'read',
    'operations/read-change.ts',
    ['erase'],
    'if (erasedBy !== undefined && number < erasedBy)',
    'if (erasedBy !== undefined && number > erasedBy)',
    'An erased change seems never to have been.',
  ],
  [
    'trigger',
    'store/migrations/0015-erasure.ts',
    ['../store/append-only'],
    "and c.change > old.change and c.action = 'erase')",
    'and c.change >= old.change)',
    'Texts go without a change that says so.',
  ],
];

export const mutants = list.map(([id, file, tests, find, replace, breaks]) => ({
  id: `erasure-${id}`,
  file: src(file),
  find,
  replace,
  breaks,
  tests: tests.map((name) => (name.startsWith('../') ? `packages/server/test/${name.slice(3)}.test.ts` : test(name))),
}));
