import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { root } from './root.mjs';

ensureInstalled();
ensureBuilt();

const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)];
const tests = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
// The tests' own database must be stopped before anything else ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
tests.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
