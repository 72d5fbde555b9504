/** Export, verification and import of ledgers. */
const src = (path) => `packages/server/src/archive/${path}`;
const verifier = (path) => `packages/verifier/src/${path}`;
const test = (path) => `packages/server/test/archive/${path}`;

const altered = [test('altered.deep.test.ts')];
const refused = [test('refused.deep.test.ts')];
const resumed = [test('resumed.deep.test.ts')];
const state = [test('state.deep.test.ts')];
const killed = 'packages/cli/test/archive/killed.deep.test.ts';
const roundTrip = [test('round-trip.deep.test.ts')];

export const tests = refused;

export const mutants = [
  {
    id: 'export-of-altered-versions',
    file: src('export.ts'),
    find: 'const checking = check({ ledger, kind }, row);',
    replace: 'const checking = check === undefined ? row.luid : undefined;',
    breaks: 'What was altered in the database is exported as what the ledger stored.',
    tests: altered,
  },
  {
    id: 'export-of-versions-without-code',
    file: src('export.ts'),
    find: 'if (checking) await checking;',
    replace: 'if (checking) checking.catch(() => undefined);',
    breaks: 'Who takes the code of a version away has it exported as what the ledger stored.',
    tests: altered,
  },
  {
    id: 'export-of-altered-state',
    file: src('state-codes.ts'),
    find: 'if (mac === (row.mac ?? undefined) && given_up_mac === (row.given_up_mac ?? undefined)) return;',
    replace: 'if (mac !== null) return;',
    breaks: 'What the server works with is altered in the database, and the code of the file vouches for it.',
    tests: state,
  },
  {
    id: 'export-of-altered-reasons',
    file: src('state-codes.ts'),
    find: ' && given_up_mac === (row.given_up_mac ?? undefined)',
    replace: '',
    breaks: 'Why a call was given up is altered in the database, and the code of the file vouches for it.',
    tests: state,
  },
  {
    id: 'export-resumed-on-changes',
    file: src('export.ts'),
    find: 'if (isSame && treeOf(begun.log) === treeOf(log)) return;',
    replace: 'if (counts.changes > 0) return;',
    breaks: 'An export goes on though its first part is of another moment.',
    tests: resumed,
  },
  {
    id: 'export-resumed-on-an-altered-file',
    file: src('export.ts'),
    find: "if (this.#kept === 0 && this.#digest.copy().digest('hex') === this.options.begun?.sha256) return;",
    replace: 'if (this.#kept <= 0) return;',
    breaks: 'Who alters a part of an export has the rest vouch for it.',
    tests: resumed,
  },
  {
    id: 'export-written-in-part',
    file: src('write-all.ts'),
    find: 'while (done < bytes.length) {',
    replace: 'if (done < bytes.length) {',
    breaks: 'What the system did not take of an export is missing in the file.',
    tests: [test('write-all.test.ts')],
  },
  {
    id: 'export-cut-off',
    file: 'packages/cli/src/main.ts',
    find: 'if (!isReaderNeeded) process.exit(EXIT.done.code);',
    replace: 'process.exit(EXIT.done.code);',
    breaks: 'An export that nobody has read to its end counts as made.',
    tests: ['packages/cli/test/archive/archive.deep.test.ts'],
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
    find: 'if (before?.sha256 === sha256 && before.isReadOnly === isReadOnly && isPartOf(cuts, before)) return before;',
    replace: 'if (before?.sha256 === sha256 && isPartOf(cuts, before)) return before;',
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
    find: 'if (cutter.lines > before) load.add(line);',
    replace: 'load.add(line);',
    breaks: 'An import that goes on stores again what it has.',
    tests: resumed,
  },
  {
    id: 'import-of-what-is-discarded',
    file: src('import.ts'),
    find: 'if (!stored || isDiscarded) return false;',
    replace: 'if (!stored) return false;',
    breaks: 'An import goes on with what is deleted in part, and makes a ledger with gaps.',
    // The command of the test runs what was compiled.
    tests: [killed],
  },
  {
    id: 'discard-in-part',
    file: src('begun-import.ts'),
    find: 'if (deleted < ROWS) break;',
    replace: 'if (deleted < ROWS) return discarded;',
    breaks: 'An import that was given up leaves rows that nobody can find.',
    tests: [killed],
  },
  {
    id: 'import-of-swapped-pieces',
    file: src('import.ts'),
    find: 'if (stored && cuts.get(stored.lines) !== stored.sha256) throw changedMeanwhile();',
    replace: 'if (stored && !cuts.has(stored.lines)) throw changedMeanwhile();',
    breaks: 'A file that is swapped after it was verified leaves records that nobody has verified.',
    tests: resumed,
  },
  {
    id: 'import-of-a-swapped-end',
    file: src('import.ts'),
    find: 'if (cutter.end() !== end.sha256) throw changedMeanwhile();',
    replace: 'cutter.end();',
    breaks: 'A file that is swapped after it was verified makes the ledger of what nobody has verified.',
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
