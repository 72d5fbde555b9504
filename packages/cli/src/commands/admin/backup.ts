import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { ProgressBar } from '../../terminal/progress.js';
import { settingsThere } from '../archive/export.js';
import { loadAdmin } from '../archive/server-parts.js';
import { formatBytes } from './amounts.js';
import { ADMIN_OPTIONS, asOperator, wholeNumberOf } from './shared.js';

/** The folder of backups. */
export const FOLDER_ARGUMENT = { name: 'folder', about: 'of backups; else BACKUP_DIR', isOptional: true };

/** @throws Failure when there is neither an argument nor the setting */
export function backupFolderOf(named: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const folder = named ?? (env.BACKUP_DIR || undefined);
  if (folder === undefined) throw usage('No folder of backups is named.', 'give one, or set BACKUP_DIR');
  return folder;
}

export const adminBackup: CliCommand = {
  path: ['admin', 'backup'],
  summary: 'Copy the embedded PostgreSQL, beside its server or without, to a folder of backups',
  about:
    'It runs at the host of the server, as its user or root; --data names its folder. Reads and writes go on. Where the server keeps its ' +
    'write-ahead log in the same folder (BACKUP_DIR), the backup can be restored to any moment since. The backup holds all records and ' +
    'the sealed keys: keep it as secret as the database.',
  arguments: [FOLDER_ARGUMENT],
  options: [
    {
      flags: '--keep <number>',
      about:
        'how many backups of this database are kept, up to 1,000; older ones are removed, with the log that only they need',
      default: '7',
    },
    {
      flags: '--with-master-key',
      about: 'write the master key as well: whoever has the backup can then sign as every ledger',
    },
    ...ADMIN_OPTIONS,
  ],
  examples: [{ call: 'countersign admin backup /mnt/backups', about: 'once a day, by cron or a timer' }],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const folder = backupFolderOf(invocation.get('folder'), surroundings.env);
    const keep = wholeNumberOf(invocation, 'keep', 1_000);
    const progress = new ProgressBar(surroundings, output.isJson);
    const { runBackup } = await loadAdmin();
    const made = await asOperator(async () =>
      runBackup({
        settings: settingsThere(invocation),
        folder,
        keep,
        withMasterKey: invocation.is('with-master-key'),
        progress: (done, all) => progress.at('Copying', done, all),
      }),
    ).finally(() => progress.end());
    output.done(`${formatBytes(made.bytes)} copied, as of ${made.ended}.`);
    if (made.removed.length > 0) output.note(`Older than the newest ${keep}, and removed: ${made.removed.join(', ')}.`);
    output.note(
      made.isContinued
        ? `It can be restored to any moment from ${made.ended} on.`
        : 'The log since is not kept here: it can be restored as it is, to no later moment. Set BACKUP_DIR of the server to this folder.',
    );
    if (made.masterKeyIn !== undefined)
      output.note(
        `The master key is not in it, and nothing can be opened without that key: keep a copy of ${made.masterKeyIn} elsewhere.`,
      );
    output.result(made as unknown as Json, () => made.path);
  },
};
