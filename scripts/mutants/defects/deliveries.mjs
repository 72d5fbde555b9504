/** Deliveries, when something fails. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

const run = [test('deliveries/queue-run.test.ts')];
const answers = [test('deliveries/faults-answers.test.ts')];
const poison = [test('deliveries/faults-poison.test.ts')];
const queues = [test('deliveries/due-queues.test.ts')];

export const tests = [test('deliveries/')];

export const mutants = [
  {
    id: 'deliver-shared-connections',
    file: src('app.ts'),
    find: 'calls: { process: all, ledger: each }, connections: all }',
    replace: 'calls: { process: all, ledger: each } }',
    breaks: 'A ledger whose receiver hangs keeps the connections to its host from all others.',
    tests: answers,
  },
  {
    id: 'deliver-dripped-body',
    file: src('outbound/client.ts'),
    find: 'setTimeout(() => stream.destroy(), milliseconds)',
    replace: 'setTimeout(() => {}, milliseconds)',
    breaks: 'A receiver that drips its body keeps a slot for the whole of an attempt.',
    tests: answers,
  },
  {
    id: 'deliver-code-of-library',
    file: src('deliveries/outcome.ts'),
    find: "code === undefined || code.startsWith('UND_ERR_')",
    replace: 'code === undefined',
    breaks: 'Proofs hold codes of the library that makes the calls.',
    tests: answers,
  },
  {
    id: 'deliver-forged-row',
    file: src('deliveries/attempt.ts'),
    find: '    verifyDelivery(engine.service, batch.ledger, delivery);\n',
    replace: '',
    breaks: 'A row that was altered in the database is sent, and signed.',
    tests: poison,
  },
  {
    id: 'deliver-forged-row-proof',
    file: src('deliveries/settle.ts'),
    find: "proofs: isUnsigned(outcome) ? '' : ",
    replace: 'proofs: ',
    breaks: 'The ledger signs what an altered row says of a delivery.',
    tests: poison,
  },
  {
    id: 'deliver-poisoned-batch',
    file: src('deliveries/attempt.ts'),
    find: 'return { ledger, texts: new Map(), unmade: deliveries.length };',
    replace: 'throw error;',
    breaks: 'A queue stands still behind a delivery whose record was altered.',
    tests: poison,
  },
  {
    id: 'deliver-during-stop',
    file: src('deliveries/queue-run.ts'),
    find: 'if (this.#isFinishing || ',
    replace: 'if (',
    breaks: 'A process that stops begins attempts that it then gives up.',
    tests: run,
  },
  {
    id: 'deliver-given-up-stored',
    file: src('deliveries/attempt.ts'),
    find: "  if (signal.aborted && outcome.kind !== 'delivered') return 'later';\n",
    replace: '',
    breaks: 'An attempt that was cut off with its lease counts as failed.',
    tests: run,
  },
  {
    id: 'deliver-overloaded-fails',
    file: src('deliveries/attempt.ts'),
    find: 'return error instanceof Overloaded || (',
    replace: 'return (',
    breaks: 'What the process has no room for counts as failed, and is given up in the end.',
    tests: run,
  },
  {
    id: 'deliver-width-bound',
    file: src('deliveries/queue-run.ts'),
    find: 'Math.min(greatest, this.#width + 1)',
    replace: 'this.#width + 1',
    breaks: 'One receiver is sent any number of events at a time.',
    tests: run,
  },
  {
    id: 'deliver-width-halved',
    file: src('deliveries/queue-run.ts'),
    find: 'Math.max(1, this.#width >> 1)',
    replace: 'Math.max(1, this.#width - 1)',
    breaks: 'A receiver that is down goes on taking many slots.',
    tests: run,
  },
  {
    id: 'deliver-retry-behind-hung',
    file: src('deliveries/queue-run.ts'),
    find: '        if (performance.now() - this.#looked >= every) this.#isDrained = false;\n',
    replace: '',
    breaks: 'An attempt that is to be made again waits until a hanging one has ended.',
    tests: run,
  },
  {
    id: 'deliver-slots-ledger',
    file: src('deliveries/slots.ts'),
    find: 'this.#bounds.ledger - taken',
    replace: 'this.#bounds.ledger - taken + 1',
    breaks: 'A ledger has one attempt under way more than it may.',
    tests: [test('deliveries/slots.test.ts')],
  },
  {
    id: 'deliver-long-weight',
    file: src('deliveries/attempt.ts'),
    find: 'COPIES * bytes,',
    replace: '16 * 1024 * 1024,',
    breaks: 'Two hanging attempts of medium length keep all long ones of a ledger waiting.',
    tests: run,
  },
  {
    id: 'deliver-long-read',
    file: src('deliveries/versions.ts'),
    find: 'found, limits.deliveries.short);',
    replace: 'found);',
    breaks: 'Long versions are held by attempts that wait for room, a thousand times over.',
    tests: run,
  },
  {
    id: 'deliver-turns',
    file: src('deliveries/worker.ts'),
    find: '    takesTurns: true,\n',
    replace: '',
    breaks: 'Dead hosts with old deliveries keep all others from ever being served.',
    tests: [test('deliveries/faults-backlog.test.ts')],
  },
  {
    id: 'deliver-list-share',
    file: src('store/outbox/deliveries.ts'),
    find: '${limits.deliveries.listed} / count(*))',
    replace: '${limits.deliveries.listed} / max(1))',
    breaks: 'A ledger with many queues leaves no room on the list for others.',
    tests: queues,
  },
  {
    id: 'deliver-list-beginning',
    file: src('store/outbox/deliveries.ts'),
    find: 'floor(random() * (last - first + 1))::bigint',
    replace: '0',
    breaks: 'Of more ledgers than a look lists, the last ones are never listed.',
    tests: queues,
  },
];
