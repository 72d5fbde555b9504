import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '@countersign/protocol';
import { root } from '../root.mjs';

/** Milliseconds a run on a defect may take, which may keep it from ending; and one of all tests on a busy machine. */
const PATIENCE = { quick: 600_000, whole: 3_600_000 };

/** Milliseconds between asking a run to end and ending it. */
const GRACE = 5_000;

/**
 * Runs tests in a copy of the repository.
 *
 * @param tests paths of files and folders; all tests when there are none
 * @param quick stop at the first test that fails
 * @param signal ends the run
 * @returns whether all passed, the names of tests that failed, and what was printed
 * @throws when the signal ended it
 */
export async function runTests({ folder, databaseUrl, tests, quick, signal }) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const args = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--reporter=json', `--outputFile=${report}`],
    ...(quick ? ['--bail=1'] : []),
    ...tests,
  ];
  signal.throwIfAborted();
  const env = { ...process.env, TEST_DATABASE_URL: databaseUrl, TEST_TIER: 'all', NO_COLOR: '1' };
  // A group of its own, so that nothing it started outlives it.
  const run = spawn(process.execPath, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [run.stdout, run.stderr]) stream.on('data', (part) => output.push(part));
  const patience = quick ? PATIENCE.quick : PATIENCE.whole;
  let late = false;
  const end = () => endGroup(run);
  const timer = setTimeout(() => {
    late = true;
    end();
  }, patience);
  signal.addEventListener('abort', end);
  const [code] = await once(run, 'close');
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  const { failed, said } = late
    ? { failed: [`the run did not end within ${patience / 1000} s`], said: [] }
    : readReport(report);
  return { ok: code === 0, failed, output: [...said, Buffer.concat(output).toString()].join('\n') };
}

function endGroup(run) {
  const kill = (how) => {
    try {
      process.kill(-run.pid, how);
    } catch {
      // It has ended.
    }
  };
  kill('SIGTERM');
  setTimeout(kill, GRACE, 'SIGKILL').unref();
}

/** Names of the tests that failed, with their files, and what was said of files that failed, as of a hook that did. */
function readReport(report) {
  let files;
  try {
    files = readJson(readFileSync(report, 'utf8')).testResults;
  } catch {
    return { failed: [], said: [] };
  }
  const named = files.map((file) => ({ ...file, name: file.name.slice(file.name.indexOf('packages/')) }));
  const failed = named.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `${name}: ${fullName}`),
  );
  return { failed, said: named.flatMap(({ name, message }) => (message ? [`${name}: ${message}`] : [])) };
}
