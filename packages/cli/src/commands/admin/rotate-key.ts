import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { ProgressBar } from '../../terminal/progress.js';
import { settingsThere } from '../archive/export.js';
import { loadAdmin } from '../archive/server-parts.js';
import { ADMIN_OPTIONS, asOperator, RUNS_BESIDE } from './shared.js';

export const adminRotateKey: CliCommand = {
  path: ['admin', 'rotate-key'],
  summary: 'Replace the master key, while the server serves',
  about:
    `${RUNS_BESIDE}All private keys and secrets in the database are sealed anew under the next key: MASTER_KEY_NEXT, or else the file ` +
    'master.key.next in the data folder, which it makes. Servers must have it; those that lack it are named, and nothing is changed. Where it was ' +
    'interrupted, call it again. docs/operations/keys.md has the steps.',
  options: ADMIN_OPTIONS,
  examples: [
    { call: 'countersign admin rotate-key --yes', about: 'seals all anew, and says which key is needed from then on' },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    await invocation.confirm('Seal all private keys and secrets anew under the next master key?');
    const { runRotateKey } = await loadAdmin();
    const progress = new ProgressBar(surroundings, output.isJson);
    const result = await asOperator(() =>
      runRotateKey({
        settings: settingsThere(invocation),
        progress: (done, all) => progress.at('sealed', done, all),
      }).finally(() => progress.end()),
    );
    const { from, to, sealed, keyFile, formerFile } = result;
    output.done(
      `Master key ${from} was replaced by ${to}: ${sealed} values were sealed anew, and all are under ${to} now.`,
    );
    if (keyFile === null)
      output.note(
        'Make MASTER_KEY the new key, and take MASTER_KEY_NEXT away. Keep the former key as long as backups from before.',
      );
    else output.note(`The former key is in ${formerFile}: backups from before need it.`);
    output.warn(`Copy ${keyFile ?? 'the new key'} elsewhere now: backups from now on need it.`);
    output.result(result as unknown as Json, () => String(result.to));
  },
};
