import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCitus, startCluster, stopCluster } from './citus.mjs';
import { root, say } from './root.mjs';
import { EXCLUDED, TESTS } from './testing/citus-tests.mjs';
import { findUnlisted, TELLING } from './testing/one-node.mjs';

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
  const url = given ?? (await startCluster(bin, folder, [PORT, PORT + 1, PORT + 2], TELLING));
  say(`left out: ${EXCLUDED.map(([path, why]) => `${path} (${why})`).join(', ')}`);
  const args = process.argv.slice(2);
  const isNamed = args.some((arg) => arg.includes('.test.ts') || arg.includes('/test/'));
  const tiers = isNamed ? { [process.env.TEST_TIER ?? 'quick']: [] } : TESTS;
  let failed = 0;
  for (const [tier, paths] of Object.entries(tiers)) failed = (await run(tier, [...paths, ...args], url)) || failed;
  const unlisted = folder ? findUnlisted(await readFile(join(folder, 'node0.log'), 'utf8')) : [];
  for (const text of unlisted) console.error(`over several nodes, and not in scripts/testing/one-node.mjs: ${text}`);
  process.exitCode = failed || Math.min(unlisted.length, 1);
} finally {
  if (folder) {
    stopCluster(bin, folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs tests of a tier on the cluster of that connection string. @returns the exit code */
function run(tier, args, url) {
  const exclude = EXCLUDED.flatMap(([path]) => ['--exclude', path]);
  const env = { ...process.env, CITUS_TEST_URL: url, TEST_TIER: tier };
  const tests = spawn(process.execPath, [join(root, 'scripts/test.mjs'), ...args, ...exclude], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => tests.kill(signal));
  return new Promise((resolve) => tests.on('exit', (code) => resolve(code ?? 1)));
}
