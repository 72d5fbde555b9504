// Loaded before a program, writes to the file LOADED_BEFORE which dependencies each process or thread has loaded by the time
// `JSON.parse` is replaced: a line for each, with the name of the program.
const { appendFileSync } = require('node:fs');
const { basename } = require('node:path');
const { isMainThread } = require('node:worker_threads');

let { parse } = JSON;
Object.defineProperty(JSON, 'parse', {
  get: () => parse,
  set(replacement) {
    parse = replacement;
    // What is imported is found before the first module runs, and is listed then, but has not run itself.
    const modules = Object.entries(require.cache).filter(
      ([path, { loaded }]) => loaded && path.includes('node_modules'),
    );
    const loaded = modules.map(([path]) => path);
    const program = isMainThread ? basename(process.argv[1]) : 'thread';
    appendFileSync(process.env.LOADED_BEFORE, `${JSON.stringify({ program, loaded })}\n`);
  },
});
