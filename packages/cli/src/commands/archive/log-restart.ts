import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { ProgressBar } from '../../terminal/progress.js';
import { convertRefusals, DATA_OPTION, DEPLOYMENT, settingsThere } from './export.js';
import { loadArchive } from './server-parts.js';

export const logRestart: CliCommand = {
  path: ['log', 'restart'],
  summary: 'Begin the log of a ledger anew, after leaves were lost',
  about:
    `${DEPLOYMENT}--data names the folder of the server even where DATABASE_URL is set: it knows what was shown. ` +
    'Only a log that is stopped begins anew, under another origin. The first leaf commits to the last checkpoint that was shown; ' +
    'all changes that the database has are sealed again. docs/operations/backup.md says what to try before.',
  arguments: [{ name: 'ledger', about: 'handle or luid' }],
  options: [DATA_OPTION],
  examples: [{ call: 'countersign log restart acme --yes', about: 'after a restore that lost what others have seen' }],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const ledger = await invocation.need('ledger');
    await invocation.confirm(`Begin the log of ${ledger} anew? Proofs against the old one are no longer made.`);
    const { runLogRestart } = await loadArchive();
    const progress = new ProgressBar(surroundings, output.isJson);
    const { handle, generation, origin, stopped, last } = await convertRefusals(progress, () =>
      runLogRestart({ settings: settingsThere(invocation), now: surroundings.now, ledger }),
    );
    output.done(`The log of ledger ${handle} begins anew: generation ${generation}.`);
    output.note(`It was stopped: ${stopped}.`);
    output.note(
      last === undefined
        ? 'Nothing was ever shown of the one before.'
        : `Its first leaf commits to the last checkpoint known: ${last.size} leaves of ${last.origin}.`,
    );
    output.note('A running server seals all changes again.');
    const result = { ledger: handle, generation, origin, stopped, checkpoint: last?.note ?? null };
    output.result(result as Json, () => origin);
  },
};
