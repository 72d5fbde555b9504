/** Export, verification and import of ledgers. */
const src = (path) => `packages/server/src/archive/${path}`;
const verifier = (path) => `packages/verifier/src/${path}`;
const test = (path) => `packages/server/test/archive/${path}`;

const altered = [test('altered.test.ts')];
const refused = [test('refused.test.ts')];
const resumed = [test('resumed.test.ts')];
const state = [test('state.test.ts')];
const roundTrip = [test('round-trip.test.ts')];

export const tests = refused;

export const mutants = [
  {
    id: 'export-of-altered-versions',
    file: src('export.ts'),
    find: 'if (row.mac === null || mac({ ledger, kind }, row) === row.mac) return;',
    replace: 'if (mac !== undefined) return;',
    breaks: 'What was altered in the database is exported as what the ledger stored.',
    tests: altered,
  },
  {
    id: 'export-resumed-on-changes',
    file: src('export.ts'),
    find: 'if (begun.changes === counts.changes && begun.entries === counts.entries) return;',
    replace: 'if (counts.changes > 0) return;',
    breaks: 'An export goes on though its first part is of another moment.',
    tests: resumed,
  },
  {
    id: 'import-with-findings',
    file: src('import.ts'),
    find: 'if (findings > 0 || !header || !end)',
    replace: 'if (!header || !end)',
    breaks: 'An export that is not what its ledger wrote is imported.',
  },
  {
    id: 'import-without-code',
    file: src('import.ts'),
    find: 'if (!isFileMac(key, sha256, mac)) {',
    replace: 'if (mac !== undefined && !isFileMac(key, sha256, mac)) {',
    breaks: 'Lines that nobody signs are taken from a file that somebody altered.',
    tests: state,
  },
  {
    id: 'unsigned-plan',
    file: verifier('open-line.ts'),
    find: 'if (JSON.stringify(kept) !== JSON.stringify(said)) return other;',
    replace: 'if (kept.amount !== said.amount) return other;',
    breaks: 'The plan of an intent under way leads to another wallet than its proofs say.',
    tests: state,
  },
  {
    id: 'unsigned-wallet',
    file: verifier('open-line.ts'),
    find: 'placed.find(({ luid, wallet }) => !isWallet(luid, wallet))',
    replace: 'placed.find(({ wallet }) => wallet === undefined)',
    breaks: 'The plan of an intent under way names another wallet by its luid.',
    tests: state,
  },
  {
    id: 'malformed-delivery',
    file: verifier('delivery-line.ts'),
    find: "if (!references) return 'has an event that no ledger makes';",
    replace: 'if (!references) return undefined;',
    breaks: 'An event that cannot be made is imported, and tried for ever.',
    tests: state,
  },
  {
    id: 'import-keeps-numbers',
    file: src('import.ts'),
    find: 'orderOf: (order) => begun.order + orders.rankOf(order),',
    replace: 'orderOf: (order) => order,',
    breaks: 'A file gives its records any place, beyond all that the database will draw.',
  },
  {
    id: 'import-any-name',
    file: src('import.ts'),
    find: "if (isLuid(luid, 'ldg') && handle.length <= limits.handle && parseAddress(handle)) return;",
    replace: "if (isLuid(luid, 'ldg')) return;",
    breaks: 'A ledger is imported under the luid of another as its handle.',
  },
  {
    id: 'ledger-by-luid-first',
    file: 'packages/server/src/store/queries/ledgers.ts',
    find: 'where handle = $1 or luid = $1 order by (luid = $1) desc',
    replace: 'where handle = $1 or luid = $1',
    breaks: 'A luid leads to the ledger that has it as its handle.',
  },
  {
    id: 'import-of-another-sort',
    file: src('import.ts'),
    find: 'if (before?.sha256 === sha256 && before.isReadOnly === isReadOnly) return before;',
    replace: 'if (before?.sha256 === sha256) return before;',
    breaks: 'An import with keys goes on with one without, and leaves out what that has left out.',
    tests: resumed,
  },
  {
    id: 'seal-of-any-cost',
    file: src('passphrase.ts'),
    find: 'n * r * p > MOST_WORK || n < 2',
    replace: 'n * r > MOST_WORK || n < 2',
    breaks: 'A file makes the import work for minutes before it is refused.',
  },
  {
    id: 'import-stores-twice',
    file: src('import.ts'),
    find: 'if (number > begun.lines) load.add(line, text.length);',
    replace: 'load.add(line, text.length);',
    breaks: 'An import that goes on stores again what it has.',
    tests: resumed,
  },
  {
    id: 'import-forgets-proofs',
    file: src('rebuild.ts'),
    find: 'if (isClients(means.keys, proof)) used.add(useOf(means, proof));',
    replace: 'void [proof, used, isClients, useOf];',
    breaks: 'What was sent before the import is taken again.',
    tests: roundTrip,
  },
  {
    id: 'unordered-lines',
    file: verifier('file.ts'),
    find: 'if (luid < this.#last && this.#isSorted) {',
    replace: 'if (luid < this.#last && !this.#isSorted) {',
    breaks: 'Records that were moved within the file are not noticed.',
  },
];
