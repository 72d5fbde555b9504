/** What one process hands to another: that it is decided on once, on the right state, and that strangers are not believed. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

const handing = [test('money/handing.deep.test.ts')];
const faults = [test('money/handing-faults.deep.test.ts')];

export const tests = [...handing, ...faults, test('durability/connections.deep.test.ts')];

export const mutants = [
  {
    id: 'handing-unbounded',
    file: src('money/settler.ts'),
    find: 'this.#queue.size + this.#handing.size >= limits.intents.queue',
    replace: 'this.#queue.size >= limits.intents.queue',
    breaks: 'Intents that wait for another process fill the memory.',
    tests: handing,
  },
  {
    id: 'handing-older-state',
    file: src('money/handing/receive.ts'),
    find: 'held.version < unparsed.version ? await ledgers.renew(held, unparsed.version) : held',
    replace: 'held',
    breaks: 'A home that knows an older state of the ledger refuses all that it is handed.',
    tests: handing,
  },
  {
    id: 'handing-lost-answer',
    file: src('money/handing/handing.ts'),
    find: "stored ? { ...outcome, result: 'done' } : outcome",
    replace: 'outcome',
    breaks: 'A client is told that its new intent was there before.',
    tests: faults,
  },
  {
    id: 'handing-standstill',
    file: src('siblings/connection.ts'),
    find: '> limits.siblings.silence) this.#socket',
    replace: '> 1_000 * limits.siblings.silence) this.#socket',
    breaks: 'A home that stands still holds up the intents of all other processes.',
    tests: faults,
  },
  {
    id: 'handing-frame-length',
    file: src('siblings/frames.ts'),
    find: 'length < NUMBER || length > NUMBER + limits.siblings.frame',
    replace: 'length < NUMBER',
    breaks: 'A garbled length has a process gather four gigabytes.',
    tests: faults,
  },
  {
    id: 'handing-other-ledger',
    file: src('money/handing/message.ts'),
    find: 'handed.ledger !== ledger.id || handed.version !== version',
    replace: 'handed.version !== version',
    breaks: 'A write that names another ledger is taken.',
    tests: faults,
  },
  {
    id: 'handing-other-record',
    file: src('money/handing/message.ts'),
    find: ' || !isRecordOf(handed, record)',
    replace: '',
    breaks: 'A record is stored under the luid of another one.',
    tests: faults,
  },
  {
    id: 'handing-connections-left',
    file: src('cluster/connections.ts'),
    find: '    for (const handle of handed.values()) handle.close();\n',
    replace: '',
    breaks: 'The client of a process that was killed waits for ever.',
    tests: [test('durability/connections.deep.test.ts')],
  },
];
