import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { ensureBuilt, ensureConsoleBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { root, say } from './root.mjs';
import { seedOf } from './seed.mjs';
import { ensureBundled } from './testing/bundle.mjs';
import { testsReached } from './testing/reached.mjs';
import { isInTier } from './testing/tiers.mjs';

ensureInstalled();
ensureBuilt();
ensureConsoleBuilt();
await ensureBundled();

const args = process.argv.slice(2);
if (args.includes('--changed')) {
  const at = args.indexOf('--changed');
  const since = args[at + 1] === undefined || args[at + 1].startsWith('-') ? 'HEAD' : args[at + 1];
  const all = testsReached(since);
  const reached = all.filter((path) => isInTier(path, process.env.TEST_TIER));
  const left = all.length - reached.length;
  say(
    `${reached.length} files of tests are reached by what changed since ${since}${left > 0 ? `, and ${left} of another tier` : ''}`,
  );
  if (reached.length === 0) process.exit(0);
  args.splice(at, since === args[at + 1] ? 2 : 1, ...reached);
}

// The same seed in every run, and another one in each long run: what that finds is repeated by its seed.
const TEST_SEED = process.env.TEST_SEED || (process.env.LONG_TESTS ? String(randomInt(2 ** 31)) : undefined);
const env = { ...process.env, ...(TEST_SEED ? { TEST_SEED } : {}) };
say(`random tests draw from seed ${seedOf(env)}; TEST_SEED sets it`);

const tests = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
  cwd: root,
  stdio: 'inherit',
  env,
});
// The tests' own database must be stopped before anything else ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
tests.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
