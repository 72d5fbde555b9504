import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Account } from './account.js';
import { CannotRunHere } from './cannot-run-here.js';

/** Starts one of PostgreSQL's programs, under the right account and with a minimal environment. */
export type Launch = (program: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** Milliseconds that a trial, or initdb, may take. */
const programTimeouts = { trial: 10_000, initdb: 120_000 };

/** Characters kept of a program's output; its end tells why it failed. */
const outputTailLength = 4_000;

/**
 * Finds a way to start PostgreSQL's programs here, by trying each in turn until one can run `program` and enter every
 * one of `folders`.
 *
 * Where `setpriv` (util-linux) is present, a program gets a signal to stop when this process ends in whatever way. An
 * installation of root's in a folder that only root may enter (`mktemp -d`, /root) is out of reach for an unprivileged
 * account; the program is then given the capability to search folders, and only that.
 *
 * @throws CannotRunHere when every way fails
 */
export async function findLaunch(account: Account | undefined, program: string, folders: string[]): Promise<Launch> {
  let reason = '';
  for (const launch of ways(account)) {
    const trial = 'for folder do shift; [ "$folder" = -- ] && exec "$@"; cd "$folder" || exit; done';
    const [file, args] =
      process.platform === 'win32'
        ? [program, ['--version']]
        : ['/bin/sh', ['-c', trial, 'sh', ...folders, '--', program, '--version']];
    const { code, said } = await finish(
      launch(file, args, { stdio: ['ignore', 'pipe', 'pipe'] }),
      programTimeouts.trial,
    );
    if (code === 0) return launch;
    reason = said;
  }
  const who = account === undefined ? '' : ` as the user with id ${account.uid}, since it does not run as root`;
  throw new CannotRunHere(
    `PostgreSQL cannot be started${who} (${reason})`,
    'put the data directory and the installation into folders which that user can enter',
    'start the server as an ordinary user',
  );
}

/** Runs initdb to its end. @throws Error with its output, when it fails or runs too long */
export async function runInitdb(launch: Launch, initdb: string, args: readonly string[]): Promise<void> {
  const child = launch(initdb, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const { code, said } = await finish(child, programTimeouts.initdb);
  if (code !== 0) throw new Error(`initdb failed: ${said}`);
}

function ways(account: Account | undefined): Launch[] {
  const plain = by([], account);
  if (process.platform !== 'linux') return [plain];
  const follow = ['--pdeathsig', 'INT'];
  if (account === undefined) return [by(['setpriv', ...follow]), plain];
  const change = ['setpriv', '--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups'];
  // PostgreSQL looks for its programs with access(2), which disregards capabilities unless this bit is set.
  const keep = ['--securebits', '+no_setuid_fixup'];
  const granted = (name: string) => [
    `--inh-caps=-all,+${name}`,
    `--ambient-caps=+${name}`,
    `--bounding-set=-all,+${name}`,
  ];
  return [
    by([...change, ...follow]),
    by([...change, ...follow, ...keep, ...granted('dac_read_search')]),
    // Containers usually have this wider one only.
    by([...change, ...follow, ...keep, ...granted('dac_override')]),
    plain,
  ];
}

function by(prefix: string[], account?: Account): Launch {
  return (program, args, options) => {
    const [file = program, ...rest] = [...prefix, program, ...args];
    return spawn(file, rest, { ...options, ...account, cwd: '/', env: environment() });
  };
}

/** Leaves out PostgreSQL's own settings (PGDATA, PGPORT, ...), which may be for another server, and all secrets. */
function environment(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: what a child process needs of this one's environment
  const { PATH, SystemRoot, TEMP } = process.env;
  const given = Object.entries({ PATH, SystemRoot, TEMP }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), LC_ALL: 'C', TZ: 'UTC' };
}

/** Waits for the end of a program; kills it after `milliseconds`. */
function finish(child: ChildProcess, milliseconds: number): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    let said = '';
    const hear = (data: Buffer) => {
      said = (said + data).slice(-outputTailLength);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    const timer = setTimeout(() => {
      said += ` (ended after ${milliseconds} ms)`;
      child.kill('SIGKILL');
    }, milliseconds);
    const end = (code: number | null, text: string) => {
      clearTimeout(timer);
      resolve({ code, said: text.trim() });
    };
    child.once('error', (error) => end(null, error.message));
    child.once('close', (code) => end(code, said));
  });
}
