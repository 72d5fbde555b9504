import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm } from '../../../server/test/release/support.js';
import { createDatabase } from '../../../server/test/support/database.js';
import { root } from '../../../server/test/support/documents.js';
import { eventually } from '../../../server/test/support/eventually.js';
import { freePort } from '../../../server/test/support/free-port.js';
import { TEST_MASTER_KEY } from '../../../server/test/support/server.js';

/** 0.2.0, which has no tag: the last commit that changed what the changelog says of it. */
const UNTAGGED = 'a36157937232326ea113b2c24643832ece6b4f77';

const built = join(root, 'node_modules/.cache/releases');

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** The commit of the release before this one; undefined where the clone does not have it. */
export function findLastRelease(): string | undefined {
  for (const name of [lastTag(), UNTAGGED]) {
    try {
      if (name !== undefined) return git('rev-parse', '--verify', `${name}^{commit}`);
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** Not that of the present commit, which is this release. */
function lastTag(): string | undefined {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  } catch {
    return undefined;
  }
}

/** How a release is made here: what was made otherwise is not taken. */
const WAY = 2;

/**
 * Makes a release in a folder that is kept for the next run, by the compiler of today and without scripts of installation: what is tried is
 * how it speaks to others.
 *
 * @returns the folder
 */
export async function buildRelease(commit: string): Promise<string> {
  const folder = join(built, `${commit}-${WAY}`);
  if (existsSync(folder)) return folder;
  mkdirSync(built, { recursive: true });
  const work = mkdtempSync(join(built, '.making-'));
  try {
    execFileSync('bash', ['-c', `set -o pipefail; git archive ${commit} | tar -x -C "${work}"`], { cwd: root });
    const programs = ['cli', 'client', 'server'].flatMap((name) => ['--workspace', `packages/${name}`]);
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    await npm('npm', ['ci', '--omit=dev', ...quiet, ...programs], work);
    compile(work);
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/** Turns the sources of a release into what runs. That they are right was seen when it was released. */
function compile(release: string): void {
  const program = join(root, 'node_modules/typescript/bin/tsc');
  const off = ['declaration', 'composite', 'incremental'].flatMap((name) => [`--${name}`, 'false']);
  const packages = join(release, 'packages');
  for (const project of readdirSync(packages).map((name) => join(packages, name, 'tsconfig.json'))) {
    if (!existsSync(project)) continue;
    // The console is bundled by another program.
    if (JSON.parse(readFileSync(project, 'utf8')).compilerOptions.outDir === undefined) continue;
    execFileSync(process.execPath, [program, '-p', project, '--noCheck', '--types', '', ...off], { stdio: 'inherit' });
  }
}

/** A module of a release. @param path such as `packages/client/dist/index.js` */
export function loadFrom<T>(release: string, path: string): Promise<T> {
  return import(/* @vite-ignore */ pathToFileURL(join(release, path)).href) as Promise<T>;
}

/** A server of a release that is a process of its own, over a database of its own. */
export interface RunningRelease {
  /** With `/v2`. */
  readonly url: string;
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** Starts the server of a release, and waits until it answers. */
export async function startRelease(release: string): Promise<RunningRelease> {
  const database = await createDatabase();
  const port = await freePort();
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [join(release, 'packages/server/dist/main.js')], {
    env: {
      PATH,
      PORT: String(port),
      DATABASE_URL: database.url,
      MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
      WORKERS: '1',
      METRICS_PORT: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said += text;
    });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await database.drop();
  };
  const url = `http://127.0.0.1:${port}/v2`;
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(said);
      if (!(await fetch(url)).ok) throw new Error(said);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, databaseUrl: database.url, stop };
}
