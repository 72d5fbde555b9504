/** The log, its witnesses, and files that are taken out and in. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

export const mutants = [
  {
    id: 'log-proof-for-anyone',
    file: src('operations/log/inclusion.ts'),
    find: 'const { record } = await readableRecord(session, kind, command, command.token);',
    replace: "const record = { luid: command.params.id ?? '' };",
    breaks: 'Whoever knows a luid gets the salts of its changes.',
    tests: [test('log/inclusion.test.ts')],
  },
  {
    id: 'witnesses-unverified',
    file: src('witnessing/ask.ts'),
    find: 'if (verifyNote({ text, signatures: own }, [key], suite).length === 0) throw',
    replace: 'if (own.length === 0 || suite === undefined || verifyNote === undefined) throw',
    breaks: 'Nobody looks at the cosignature of a witness.',
    tests: [test('witnessing/witnesses.deep.test.ts')],
  },
  {
    id: 'witness-consistency',
    file: 'packages/cli/src/witness/witness.ts',
    find: 'if (!checkConsistency({ old, oldRoot: last.root, size, root, proof })) {',
    replace: 'if (false as boolean) {',
    breaks: 'A fork is cosigned.',
    tests: ['packages/cli/test/witness/witness.test.ts'],
  },
  {
    id: 'witness-shared-folder',
    file: 'packages/cli/src/witness/witness.ts',
    find: 'if (!isKept) return',
    replace: 'if (isKept === undefined) return',
    breaks: 'Two processes on one folder cosign two trees.',
    tests: ['packages/cli/test/witness/witness.test.ts'],
  },
  {
    id: 'tree-signature',
    file: 'packages/verifier/src/log/checkpoints.ts',
    find: 'return this.#taken(name, () => openCheckpoint(text, this.#keys(origin), this.suite).checkpoint);',
    replace: 'return this.#taken(name, () => parseCheckpoint(parseNote(text).text));',
    breaks: 'A checkpoint that nobody has signed, or of another log, is taken.',
    tests: [test('archive/tree/checks.deep.test.ts')],
  },
  {
    id: 'export-of-altered-versions',
    file: src('archive/export.ts'),
    find: 'const checking = check({ ledger, kind }, row);',
    replace: 'const checking = check === undefined ? row.luid : undefined;',
    breaks: 'What was altered in the database is exported as what the ledger stored.',
    tests: [test('archive/altered.deep.test.ts')],
  },
  {
    id: 'import-without-code',
    file: src('archive/import.ts'),
    find: 'if (!secretKey || isFileMac(secretKey, sha256, mac)) return;',
    replace: 'if (!secretKey || mac === undefined || isFileMac(secretKey, sha256, mac)) return;',
    breaks: 'Lines that nobody signs are taken from a file that somebody altered.',
    tests: [test('archive/state.deep.test.ts')],
  },
  {
    id: 'import-stores-twice',
    file: src('archive/import.ts'),
    find: 'if (cutter.lines > before) load.add(line);',
    replace: 'load.add(line);',
    breaks: 'An import that goes on stores again what it has.',
    tests: [test('archive/resumed.deep.test.ts')],
  },
  {
    id: 'hostile-depth-of-lines',
    file: 'packages/verifier/src/lines.ts',
    find: "if (isTooDeep(text)) return 'is nested deeper than any of an export';",
    replace: '',
    breaks: 'A line of brackets ends the verification, and nothing behind it is looked at.',
    tests: [test('archive/tree/hostile.deep.test.ts')],
  },
];
