/** Work that no request waits for: leases, turns, and what a stop leaves. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

const runtime = [test('background/runtime.test.ts')];
const stop = [test('background/stop.test.ts')];
const hints = [test('background/hints.test.ts')];
const workers = [test('background/workers.test.ts')];

export const tests = runtime;

export const mutants = [
  {
    id: 'background-lease-held',
    file: src('store/queries/leases.ts'),
    find: 'from judged j where j.until is null or j.until <= now()',
    replace: 'from judged j where true',
    breaks: 'Units that wait after a failure are counted as free, and take the places of others.',
    tests: [test('background/leases.test.ts')],
  },
  {
    id: 'background-lease-taken-before-its-end',
    file: src('store/queries/leases.ts'),
    find: 'where l.worker = $1 and l.until <= now()\n    for update of l skip locked',
    replace: 'where l.worker = $1\n    for update of l skip locked',
    breaks: 'Of two processes that claim at once both have the lease.',
    tests: [test('background/leases.test.ts')],
  },
  {
    id: 'background-lease-not-passed-over',
    file: src('store/queries/leases.ts'),
    find: 'for update of l skip locked',
    replace: 'for update of l',
    breaks: 'A claim waits for the one before it.',
    tests: [test('background/leases.test.ts')],
  },
  {
    id: 'background-look-lost',
    file: src('background/loop.ts'),
    find: 'if (claimed.length === count || claimed.length < chosen) wanted = true;',
    replace: 'if (claimed.length === count) wanted = true;',
    breaks: 'A process sleeps while units are free, because another one was first.',
  },
  {
    id: 'background-lease-of-another-renewed',
    file: src('store/queries/leases.ts'),
    find: 'and l.unit = k.unit and l.holder = $1',
    replace: 'and l.unit = k.unit and (l.holder = $1 or true)',
    breaks: 'A lost lease is renewed, and its work goes on.',
  },
  {
    id: 'background-lease-of-another-released',
    file: src('store/queries/leases.ts'),
    find: 'failures = $6\n  where ledger_id = $1 and worker = $2 and unit = $3 and holder = $4',
    replace: 'failures = $6\n  where ledger_id = $1 and worker = $2 and unit = $3 and (holder = $4 or true)',
    breaks: 'A run that lost its lease gives back that of another process.',
    tests: [test('background/leases.test.ts')],
  },
  {
    id: 'background-lease-of-another-forgotten',
    file: src('store/queries/leases.ts'),
    find: 'delete from lease where ledger_id = $1 and worker = $2 and unit = $3 and holder = $4',
    replace: 'delete from lease where ledger_id = $1 and worker = $2 and unit = $3 and (holder = $4 or true)',
    breaks: 'A run that lost its lease forgets that of another process.',
    tests: [test('background/leases.test.ts')],
  },
  {
    id: 'background-each',
    file: src('store/queries/leases.ts'),
    find: 'where turn <= $5 order by',
    replace: 'where turn <= $5 or true order by',
    breaks: 'One ledger takes all lanes of a process.',
  },
  {
    id: 'background-fair',
    file: src('store/queries/leases.ts'),
    find: 'order by turn, since, ledger_id, unit limit $4',
    replace: 'order by since, turn, ledger_id, unit limit $4',
    breaks: 'A ledger with much to do keeps the others waiting.',
  },
  {
    id: 'background-lanes',
    file: src('store/queries/leases.ts'),
    find: 'order by turn, since, ledger_id, unit limit $4',
    replace: 'order by turn, since, ledger_id, unit limit $4::int + 5',
    breaks: 'A process takes more than it has lanes for.',
  },
  {
    id: 'background-listed',
    file: src('store/queries/leases.ts'),
    find: 'limit ${limits.background.listed}',
    replace: '',
    breaks: 'A look has no bound.',
    tests: [test('background/leases.test.ts')],
  },
  {
    id: 'background-lease-end',
    file: src('background/heartbeat.ts'),
    find: 'setTimeout(() => lose(hold), end - clock())',
    replace: 'setTimeout(() => {}, end - clock())',
    breaks: 'Work goes on whose lease could not be renewed.',
  },
  {
    id: 'background-timeout',
    file: src('background/run.ts'),
    find: 'setTimeout(() => abort(new TimedOut(worker.timeout)), worker.timeout)',
    replace: 'setTimeout(() => {}, worker.timeout)',
    breaks: 'A run may take for ever.',
  },
  {
    id: 'background-back-off',
    file: src('background/run.ts'),
    find: 'await leases.release(key, rest, failures);',
    replace: 'await leases.release(key, 0, failures);',
    breaks: 'What fails is tried again at once.',
  },
  {
    id: 'background-back-off-bound',
    file: src('base/back-off.ts'),
    find: 'Math.min(greatest, first * 2 ** Math.min(failures - 1, 52))',
    replace: 'first * 2 ** Math.min(failures - 1, 52)',
    breaks: 'What failed for long is hardly ever tried again.',
    tests: [test('background/back-off.test.ts')],
  },
  {
    id: 'background-lines',
    file: src('base/rate-limit.ts'),
    find: 'if (passed >= count) {',
    replace: 'if (passed > count) {',
    breaks: 'More lines are written than the limit says.',
    tests: [test('background/back-off.test.ts')],
  },
  {
    id: 'background-drain',
    file: src('background/loop.ts'),
    find: 'for (const run of runs) run.abort(new Stopping());',
    replace: '',
    breaks: 'Work that takes long is not told that the process stops.',
    tests: stop,
  },
  {
    id: 'background-hints-gathered',
    file: src('background/hints.ts'),
    find: 'if (recent) recent.again = true;',
    replace: 'if (recent) send(name);',
    breaks: 'Each hint is sent, however many they are.',
    tests: hints,
  },
  {
    id: 'background-listens-again',
    file: src('store/listener.ts'),
    find: "connectLater(new Error('The connection that listens for hints was lost.'));",
    replace: '',
    breaks: 'A lost connection for hints is not made again.',
    tests: hints,
  },
  {
    id: 'background-statement-cut',
    file: src('store/abortable.ts'),
    find: "signal.addEventListener('abort', abort, { once: true });",
    replace: '',
    breaks: 'A statement that stands still holds up the stop.',
    tests: workers,
  },
  {
    id: 'background-statistics-due',
    file: src('store/statistics.ts'),
    find: ' and n_mod_since_analyze * 2 >= n_live_tup',
    replace: '',
    breaks: 'A large table is analyzed all the time.',
    tests: workers,
  },
];
