import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@countersign/protocol';
import { findTarget } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { localFailure, usage } from '../../terminal/failure.js';
import { ProgressBar } from '../../terminal/progress.js';
import { failureOfServer, loadArchive } from './server-parts.js';

/** How the operator's commands are told which deployment they are about. */
export const DEPLOYMENT =
  'It runs at the host of the server, with the settings that the server has: DATABASE_URL and MASTER_KEY, or --data for ' +
  'the PostgreSQL in the data folder, which one process at a time uses: stop the server first. ';

export const DATA_OPTION = {
  flags: '--data <folder>',
  env: 'DATA_DIR',
  about: 'where the data of the server is kept',
  default: './data',
};

export const exportCommand: CliCommand = {
  path: ['export'],
  summary: 'Write all of a ledger to a file',
  about:
    `${DEPLOYMENT}Every version of every record is written as it was served, with money and work under way. ` +
    'Private keys and secrets stay out without --with-keys; without them a ledger can be imported to be read only. docs/export.md has the format.',
  arguments: [{ name: 'ledger', about: 'handle or luid; else the selected ledger', isOptional: true }],
  options: [
    { flags: '--file <path>', about: 'the file to write; else standard output' },
    { flags: '--resume', about: 'go on with a file that was interrupted' },
    { flags: '--with-keys', about: 'with the private keys and secrets of the ledger, sealed to a passphrase' },
    {
      flags: '--password-stdin',
      about: 'read the passphrase from standard input; COUNTERSIGN_PASSWORD may hold it instead',
      ask: { kind: 'password', message: 'Passphrase' },
    },
    DATA_OPTION,
  ],
  examples: [{ call: 'countersign export acme --file acme.ndjson --with-keys', about: 'for another deployment' }],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const ledger = invocation.get('ledger') ?? (await findTarget(invocation)).ledger;
    if (ledger === undefined) throw usage('No ledger is selected.', 'give its handle');
    const path = invocation.get('file');
    const isResumed = invocation.is('resume');
    if (isResumed && path === undefined) throw usage('--resume needs --file.');
    const withKeys = invocation.is('with-keys');
    const passphrase = withKeys
      ? await invocation.password({ message: 'Passphrase of the export', repeat: !isResumed })
      : undefined;
    const { runExport } = await loadArchive();
    const progress = new ProgressBar(surroundings, output.isJson);
    if (path === undefined) surroundings.needsReader?.();
    const { header, end } = await convertRefusals(progress, () =>
      runExport({
        settings: settingsThere(invocation),
        now: surroundings.now,
        ledger,
        to: path === undefined ? { write: (text) => writeOut(invocation, text) } : { path, isResumed },
        passphrase,
        progress: (done, all) => progress.at('Exporting', done, all),
      }),
    );
    output.done(`${header.changes} changes of ledger ${header.ledger.handle} exported.`);
    if (!withKeys) output.note('Without its private keys: the file can be verified, or imported with --read-only.');
    if (path !== undefined) output.result({ path, ledger: header.ledger, ...end } as unknown as Json, () => path);
  },
};

/** The settings of the server: those of this process, with the folder of the call. */
export function settingsOf({ surroundings, values }: Invocation): Readonly<Record<string, string | undefined>> {
  return { ...surroundings.env, ...(typeof values.data === 'string' ? { DATA_DIR: values.data } : {}) };
}

/**
 * The same, for what works on a deployment that is there: without one, none is made.
 *
 * @throws Failure when the data folder has no database and no other one is named
 */
export function settingsThere(invocation: Invocation): Readonly<Record<string, string | undefined>> {
  const settings = settingsOf(invocation);
  const { DATABASE_URL: database, DATABASE_URL_FILE: named, DATA_DIR: folder = '' } = settings;
  if (!database && !named && !existsSync(join(folder, 'postgres'))) {
    throw localFailure(
      `There is no data of a server in ${folder}.`,
      'name its folder with --data, or its database with DATABASE_URL',
    );
  }
  return settings;
}

/** What the server's parts refuse is told in their words. */
export async function convertRefusals<T>(progress: ProgressBar, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'Failure') throw error;
    throw failureOfServer(error);
  } finally {
    progress.end();
  }
}

/** Waits until the reader of standard output has room. */
async function writeOut({ surroundings: { stdout } }: Invocation, text: string): Promise<void> {
  if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once('drain', () => resolve()));
}
