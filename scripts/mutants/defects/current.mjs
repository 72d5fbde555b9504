/** Decisions on a state that is checked to be the current one: each reading method of a session, and each use of `assertFresh`. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

export const tests = [test('records/past-state.test.ts')];

export const mutants = [
  {
    id: 'current-signers',
    file: src('ledgers/session.ts'),
    find: 'return assertFresh(await store.signers(',
    replace: 'return (await store.signers(',
    breaks: 'A caller is judged by rules older than its own record.',
  },
  {
    id: 'current-record',
    file: src('records/stored.ts'),
    find: 'session.assertFresh({ version: version });\n  if (!record) return undefined;',
    replace: 'if (!record) return undefined;',
    breaks: 'A record is read by rules that were taken back.',
  },
  {
    id: 'current-whole-list',
    file: src('operations/list.ts'),
    find: 'const { records } = session.assertFresh(await session.store.lists.page(query));',
    replace: 'const { records } = await session.store.lists.page(query);',
    breaks: 'A list is shown by rules that were taken back.',
  },
  {
    id: 'current-history',
    file: src('operations/list-changes.ts'),
    find: 'const { total, changes } = session.assertFresh(',
    replace: 'const { total, changes } = Object(',
    breaks: 'A history is shown by rules that were taken back.',
  },
  {
    id: 'current-change',
    file: src('ledgers/session.ts'),
    find: 'return assertFresh(await store.history.one({ ledger: id, ...of }, change)).change;',
    replace: 'return (await store.history.one({ ledger: id, ...of }, change)).change;',
    breaks: 'One version of a record is shown by rules that were taken back.',
  },
  {
    id: 'current-relations',
    file: src('records/relations.ts'),
    find: 'session.assertFresh({ version: version });',
    replace: '',
    breaks: 'A relation is looked for in a state that has passed.',
  },
  {
    id: 'current-lookup',
    file: src('ledgers/session.ts'),
    find: 'return assertFresh(await store.findVersion({ ledger: id, kind, id: key, by })).record;',
    replace: 'return (await store.findVersion({ ledger: id, kind, id: key, by })).record;',
    breaks:
      'A schema or the wallets of a condition are read in a newer state than the rules, and kept under an older hash.',
  },
  {
    id: 'current-condition-threads',
    file: src('authorization/conditions.ts'),
    find: 'const { records } = session.assertFresh(await session.store.find(query));',
    replace: 'const { records } = await session.store.find(query);',
    breaks: 'A condition is judged on intents of a newer state than its policies.',
  },
  {
    id: 'current-bridge',
    file: src('bridges/bridge.ts'),
    find: "const found = await session.findVersion('bridge', handle, 'handle');",
    replace:
      "const found = (await session.store.findVersion({ ledger: session.ledger.id, kind: 'bridge', id: handle, by: 'handle' })).record;",
    breaks: 'A request goes to a bridge by policies that were changed.',
  },
  {
    id: 'current-checked',
    file: src('ledgers/session.ts'),
    find: 'assertCurrent(found.version);',
    replace: '',
    breaks: 'No read of a session tells that its state has passed.',
  },
  {
    id: 'current-still',
    file: src('ledgers/session.ts'),
    find: 'assertCurrent(await store.ledgers.version(id));',
    replace: '',
    breaks: 'Nothing tells that a state has passed while others had their turns.',
    tests: [test('forward/once.test.ts')],
  },
  {
    id: 'current-forwarded-read',
    file: src('forwarding/read.ts'),
    find: 'await session.assertStillCurrent();\n  const record =',
    replace: 'const record =',
    breaks: 'What a bridge answered is shown by rules that were taken back meanwhile.',
    tests: [test('forward/once.test.ts')],
  },
  {
    id: 'current-refusals-on-the-past',
    file: src('ledgers/session.ts'),
    find: 'if (version === undefined) throw error;',
    replace: 'throw error;',
    breaks: 'A process refuses by rules that another has changed.',
    tests: [test('records/current-state.test.ts'), test('store/processes.deep.test.ts')],
  },
];
