import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCitus, startCluster, stopCluster } from './citus.mjs';
import { root, say } from './root.mjs';
import { EXCLUDED, TESTS } from './testing/citus-tests.mjs';

/** The coordinator's port of a cluster that is started here; those of its workers follow. */
const PORT = Number(process.env.CITUS_TEST_PORT ?? 6500);

const given = process.env.CITUS_TEST_URL;
const bin = given ? undefined : findCitus();
if (!given && !bin) {
  console.error(
    'Neither does CITUS_TEST_URL name the coordinator of a cluster, nor has an installed PostgreSQL the extension Citus.',
  );
  process.exit(2);
}
const folder = bin && (await mkdtemp(join(tmpdir(), 'countersign-citus-')));
try {
  if (folder) await chmod(folder, 0o755);
  const url = given ?? (await startCluster(bin, folder, PORT));
  say(`left out: ${EXCLUDED.map(([path, why]) => `${path} (${why})`).join(', ')}`);
  const args = process.argv.slice(2);
  const paths = args.some((arg) => arg.includes('.test.ts') || arg.includes('/test/')) ? args : [...TESTS, ...args];
  const exclude = EXCLUDED.flatMap(([path]) => ['--exclude', path]);
  process.exitCode = await new Promise((resolve) => {
    const env = { ...process.env, CITUS_TEST_URL: url, TEST_TIER: process.env.TEST_TIER ?? 'quick' };
    const tests = spawn(process.execPath, [join(root, 'scripts/test.mjs'), ...paths, ...exclude], {
      cwd: root,
      stdio: 'inherit',
      env,
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
    tests.on('exit', (code) => resolve(code ?? 1));
  });
} finally {
  if (folder) {
    stopCluster(bin, folder);
    await rm(folder, { recursive: true, force: true });
  }
}
