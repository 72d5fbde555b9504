import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { root, say } from './root.mjs';
import { seedOf } from './seed.mjs';

ensureInstalled();
ensureBuilt();

// The same seed in every run, and another one in each long run: what that finds is repeated by its seed.
const TEST_SEED = process.env.TEST_SEED || (process.env.LONG_TESTS ? String(randomInt(2 ** 31)) : undefined);
const env = { ...process.env, ...(TEST_SEED ? { TEST_SEED } : {}) };
say(`random tests draw from seed ${seedOf(env)}; TEST_SEED sets it`);

const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)];
const tests = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
// The tests' own database must be stopped before anything else ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
tests.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
