/** Every decision on a state that is checked to be the current one. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

export const tests = [test('records/past-state.test.ts')];

export const mutants = [
  {
    id: 'current-signers',
    file: src('authorization/caller.ts'),
    find: 'assertCurrent(ledger, found.version);',
    replace: '',
    breaks: 'A caller is judged by rules older than its own record.',
  },
  {
    id: 'current-record',
    file: src('records/stored.ts'),
    find: 'assertCurrent(ledger, version);\n  if (!record) return undefined;',
    replace: 'if (!record) return undefined;',
    breaks: 'A record is read by rules that were taken back.',
  },
  {
    id: 'current-whole-list',
    file: src('operations/list.ts'),
    find: 'assertCurrent(ledger, version);\n  return records;\n}',
    replace: 'return records;\n}',
    breaks: 'A list is shown by rules that were taken back.',
  },
  {
    id: 'current-history',
    file: src('operations/changes.ts'),
    find: 'assertCurrent(current, version);\n    const source',
    replace: 'const source',
    breaks: 'A history is shown by rules that were taken back.',
  },
  {
    id: 'current-change',
    file: src('operations/changes.ts'),
    find: 'assertCurrent(current, version);\n    if (!change)',
    replace: 'if (!change)',
    breaks: 'One version of a record is shown by rules that were taken back.',
  },
  {
    id: 'current-relations',
    file: src('records/relations.ts'),
    find: 'assertCurrent(ledger, version);',
    replace: '',
    breaks: 'A relation is looked for in a state that has passed.',
  },
  {
    id: 'current-schema',
    file: src('records/user-schemas.ts'),
    find: 'assertCurrent(ledger, version);',
    replace: '',
    breaks: 'A newer content of a schema is kept under the hash of an older one.',
  },
  {
    id: 'current-condition-wallets',
    file: src('authorization/conditions.ts'),
    find: 'for (const { version } of found) assertCurrent(ledger, version);',
    replace: '',
    breaks: 'A condition is judged on wallets of a newer state than its policies.',
  },
  {
    id: 'current-condition-threads',
    file: src('authorization/conditions.ts'),
    find: 'assertCurrent(ledger, version);\n  const claims',
    replace: 'const claims',
    breaks: 'A condition is judged on intents of a newer state than its policies.',
  },
  {
    id: 'current-bridge',
    file: src('forwarding/bridge.ts'),
    find: 'assertCurrent(ledger, version);',
    replace: '',
    breaks: 'A request goes to a bridge by policies that were changed.',
  },
  {
    id: 'current-forwarded-read',
    file: src('forwarding/read.ts'),
    find: 'assertCurrent(ledger, await service.store.ledgers.version(ledger.id));',
    replace: '',
    breaks: 'What a bridge answered is shown by rules that were taken back meanwhile.',
    tests: [test('forward/once.test.ts')],
  },
  {
    id: 'current-refusals-on-the-past',
    file: src('ledgers/attempt.ts'),
    find: 'if (version === undefined) throw error;',
    replace: 'throw error;',
    breaks: 'A process refuses by rules that another has changed.',
    tests: [test('records/current-state.test.ts'), test('store/processes.test.ts')],
  },
];
