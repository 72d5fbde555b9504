import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { ProgressBar } from '../../terminal/progress.js';
import { settingsOf } from '../archive/export.js';
import { loadAdmin } from '../archive/server-parts.js';
import { backupFolderOf, FOLDER_ARGUMENT } from './backup.js';
import { ADMIN_OPTIONS, asOperator, wholeNumberOf } from './shared.js';

const DOING = { unpacking: 'Unpacking', copying: 'Copying the log', replaying: 'Replaying the log' };

/** An instant, with its offset, as PostgreSQL and the names of backups have it. @throws Failure */
function parseRestoreMoment(text: string, now: number): string {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
  const at = form.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw usage(`--to is a moment with its offset, as 2026-11-27T09:30:00Z, not '${text}'.`);
  if (at > now) throw usage(`--to is a moment that has passed, not '${text}'.`);
  return new Date(at).toISOString();
}

export const adminRestore: CliCommand = {
  path: ['admin', 'restore'],
  summary: 'Restore a backup of the embedded PostgreSQL into an empty data folder',
  about:
    'It runs at the host of the server, as its user or root, while the server is stopped; --data names the folder, in which only log-fence and ' +
    'master.key may be. Files are verified first. The newest backup is taken, or the newest before the moment, and the log that the ' +
    'server has kept since is replayed.',
  arguments: [FOLDER_ARGUMENT],
  options: [
    { flags: '--to <moment>', about: 'replay what was committed until then; else all that is kept' },
    { flags: '--timeline <number>', about: 'where it was restored before: which history to follow; else the newest' },
    ...ADMIN_OPTIONS,
  ],
  examples: [
    { call: 'countersign admin restore /mnt/backups --data ./data', about: 'all that is kept' },
    { call: 'countersign admin restore /mnt/backups --to 2026-11-27T09:30:00Z', about: 'as it was before a mistake' },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const folder = backupFolderOf(invocation.get('folder'), surroundings.env);
    const moment = invocation.get('to');
    const to = moment === undefined ? undefined : parseRestoreMoment(moment, surroundings.now());
    const timeline =
      invocation.get('timeline') === undefined ? undefined : wholeNumberOf(invocation, 'timeline', 1_000_000);
    const progress = new ProgressBar(surroundings, output.isJson);
    const { runRestore } = await loadAdmin();
    const restored = await asOperator(async () =>
      runRestore({
        settings: settingsOf(invocation),
        folder,
        to,
        timeline,
        progress: (doing, done, all) => progress.at(DOING[doing], done, all),
      }),
    ).finally(() => progress.end());
    const { backup, lastCommit, followed, timeline: goesOn, isContinued, missingKeys, dataDir, unread } = restored;
    output.done(`${backup} is restored in ${dataDir}.`);
    output.note(
      lastCommit === undefined ? 'It is as it was when the backup ended.' : `Its last commit was at ${lastCommit}.`,
    );
    output.note(`It followed timeline ${followed}, and goes on in ${goesOn}.`);
    if (!isContinued) output.note('No log was kept since: what came after the backup is lost.');
    if (unread > 0)
      output.warn(`The last ${unread} bytes of the log are not a whole record: what was being written then is lost.`);
    if (missingKeys === null)
      output.warn(
        'The database was not asked for its master key: one that was replaced after the backup opens nothing.',
      );
    for (const number of missingKeys ?? [])
      output.warn(
        `Master key ${number} is missing: put its copy to ${dataDir}/master.key, in place of any other, or set MASTER_KEY, before a start.`,
      );
    output.note('Start the server: it says which writes are lost that it had shown, and begins a new epoch.');
    output.result(restored as unknown as Json, () => dataDir);
  },
};
