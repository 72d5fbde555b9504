// Loaded before the service, has a signing thread fail once the file FAIL_THREAD exists, in the way that the file names, when it is to
// verify what a client has signed: its process serves by then. The thread takes the file away, so that it happens once.
const { readFileSync, renameSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const threads = require('node:worker_threads');

const { Worker } = threads;

threads.Worker = class extends Worker {
  constructor(program, options) {
    super(program, { ...options, resourceLimits: { maxOldGenerationSizeMb: 64 } });
  }
};
syncBuiltinESMExports();

const ways = {
  throws() {
    throw new Error('the thread cannot go on');
  },
  exits: () => process.exit(3),
  'takes all memory': () => {
    for (const taken = []; ; ) taken.push(new Array(10_000).fill(0));
  },
};

if (!threads.isMainThread) {
  const { FAIL_THREAD: file } = process.env;
  const own = `${file}.${process.pid}`;
  threads.parentPort.on('message', ({ task }) => {
    if (task.type !== 'verify') return;
    try {
      renameSync(file, own);
    } catch {
      return;
    }
    ways[readFileSync(own, 'utf8')]();
  });
}
