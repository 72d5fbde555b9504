/** Ledgers with erased records that are exported and imported. */
const server = (path) => `packages/server/src/${path}`;
const verifier = (path) => `packages/verifier/src/${path}`;
const test = (path) => `packages/server/test/${path}.test.ts`;

const moved = test('archive/erased.deep');
const hostile = test('archive/erased-hostile.deep');
const log = test('log/imported.deep');

export const tests = [moved];

/** `[id, file, tests, find, replace, breaks]` */
const list = [
  [
    'names-left-out',
    server('archive/load.ts'),
    [moved],
    "return ['erased_proof', { digest: line.name, luid: line.luid }];",
    'return undefined;',
    'In the deployment that a ledger moves to, erased payments are made a second time.',
  ],
  [
    'names-of-another-key',
    server('integrity/veil.ts'),
    [moved],
    'if (sealed) return open(masterKey,',
    'if (sealed && masterKey.length === 0) return open(masterKey,',
    'Names that came with an import are not found, and erased payments are made a second time.',
  ],
  [
    'key-of-names-exported',
    server('archive/export.ts'),
    [hostile],
    'where exists (select from erased_proof where ledger_id = $1)',
    'where false and exists (select from erased_proof where ledger_id = $1)',
    'An export has names that nobody can compare.',
  ],
  [
    'keys-of-a-read-only-ledger',
    server('archive/export.ts'),
    [moved],
    'if (await createSystemKeys(this.options.pool)(id)) return;',
    'if (id > 0) return;',
    'An export promises keys that there are not, and lacks the names that stay taken.',
  ],
  [
    'named-leaf-code',
    server('archive/export.ts'),
    [moved],
    'const opened = logCodes.openLeaves(ledger, { luid, change }, leaf_named);',
    "const opened = luid ? Buffer.from(leaf_named.split('.')[0]!, 'base64') : logCodes.openLeaves(ledger, { luid, change }, leaf_named);",
    'Who can write to the database has an export name another commitment.',
  ],
  [
    'leaf-code',
    server('log/backfill.ts'),
    [moved],
    'const opened = leaf === null ? undefined : logCodes.openLeaves(ledger, { luid, change }, leaf);',
    "const opened = leaf === null ? undefined : logCodes ? Buffer.from(leaf.split('.')[0]!, 'base64') : undefined;",
    'Who can write to the database has the ledger seal leaves of erased changes that no import has brought.',
  ],
  [
    'leaf-missing',
    server('store/log/backfill.ts'),
    [moved],
    'f.body is null and e.leaf is null and exists (',
    'f.body is null and e.leaf is null or exists (',
    'Who can write to the database keeps erased changes out of the log, and nobody is alarmed.',
  ],
  [
    'leaf-left',
    server('store/log/backfill.ts'),
    [log],
    'delete from erased_leaf where ledger_id = $1 and (luid, change) <= ($2, $3::int)',
    'delete from erased_leaf where ledger_id = 0 * $1::bigint and (luid, change) <= ($2, $3::int)',
    'A log that has begun anew cannot go on: it has leaves of erased changes twice.',
  ],
  [
    'runs',
    server('log/backfill.ts'),
    [moved],
    'if (goesOn && before.isClosed === leaf.isClosed)',
    'if (goesOn)',
    'The statement of an erasure loses its salt, and cannot be shown to be in the log.',
  ],
  [
    'salts',
    server('log/tree-rows.ts'),
    [moved],
    'salts: isClosed ? null : salts',
    'salts',
    'Erased changes have salts that open nothing, and are answered as if they were there.',
  ],
  [
    'place-missing',
    verifier('log/tree.ts'),
    [hostile],
    '(!this.#head || this.#head.behind)) this.#name(logged);',
    'logged.kind) this.#name(logged);',
    'An erased change is kept out of a log that is whole, and an import takes what was never sealed.',
  ],
  [
    'commitment-form',
    verifier('log/tree.ts'),
    [hostile],
    "if (typeof commitment === 'string') this.#report(placeOf(line), commitment);",
    'void commitment;',
    'An import stores bytes that are no commitment, and the log of the ledger stops.',
  ],
  [
    'action',
    verifier('erasure.ts'),
    [hostile],
    'if (!ACTIONS.includes(action))',
    'if (action === undefined)',
    'An import fails at the database, in words that tell an operator nothing.',
  ],
  [
    'moment',
    verifier('erasure.ts'),
    [hostile],
    'if (!isWritten(moment))',
    'if (moment === undefined)',
    'An import fails at the database, in words that tell an operator nothing.',
  ],
  [
    'moment-of-no-calendar',
    verifier('erasure.ts'),
    [hostile],
    'return !Number.isNaN(time) && new Date(time).toISOString() === moment;',
    'return !Number.isNaN(time);',
    'An import fails at the database at a day that no month has.',
  ],
  [
    'keys-promised',
    server('archive/own-keys.ts'),
    [hostile],
    'if (sealed === null || name === null)',
    "if (sealed === null && name === '')",
    'An export sealed by somebody who lacks the keys is imported as one that has them.',
  ],
  [
    'keys-of-another',
    server('archive/own-keys.ts'),
    [hostile],
    '&& encodeBase64(suite.publicKey(secret)) === key) continue;',
    ') continue;',
    'A ledger is imported with keys that are not its own, and answers nothing.',
  ],
];

/** `[id, find, replace, breaks]` of names that stay taken. */
const taken = [
  [
    'of-nobody',
    'if (of === undefined) fault(',
    "if (of === undefined && name === '') fault(",
    'Whoever writes an export has proofs refused that were never used.',
  ],
  ['form', '!/^[0-9a-f]{32}$/.test(name)', "name === ''", 'A handle that was erased stands in an export in the clear.'],
  [
    'order',
    'else if (name <= this.#last) fault(',
    "else if (name === '') fault(",
    'An import fails at a name that is there twice.',
  ],
  [
    'key',
    'if (this.#count > 0 && !this.#hasKey)',
    'if (this.#count < 0)',
    'Names are imported that nobody can compare.',
  ],
  [
    'key-of-another',
    'if (luid === this.ledger && name === KEY)',
    'if (name === KEY)',
    'Names are imported whose key is lost.',
  ],
  [
    'missing',
    "if (of === 'intent')\n",
    "if (of === 'named' && luid === '')\n",
    'An erased payment is made a second time.',
  ],
];

export const mutants = [
  ...list.map(([id, file, tests, find, replace, breaks]) => ({
    id: `imported-erasures-${id}`,
    file,
    find,
    replace,
    breaks,
    tests,
  })),
  ...taken.map(([id, find, replace, breaks]) => ({
    id: `taken-names-${id}`,
    file: verifier('erased/taken.ts'),
    find,
    replace,
    breaks,
    tests: [hostile],
  })),
];
