import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { Failure } from '../../terminal/failure.js';
import { ProgressBar } from '../../terminal/progress.js';
import { convertRefusals, DATA_OPTION, DEPLOYMENT, settingsOf, settingsThere } from './export.js';
import { Findings } from './findings.js';
import { loadArchive } from './server-parts.js';

export const importCommand: CliCommand = {
  path: ['import'],
  summary: 'Restore a ledger from an export',
  about:
    `${DEPLOYMENT}The file is verified first, and nothing is stored when something is found. The ledger appears when all of it ` +
    'is stored; an import that was interrupted goes on when it is started again. Stop the deployment that the ledger came from: ' +
    'two that sign with one key know nothing of each other.',
  arguments: [
    {
      name: 'file',
      about: 'an export; one without keys only with --read-only. With --discard also the luid of a ledger',
    },
  ],
  options: [
    { flags: '--read-only', about: 'without the private keys: the ledger is read, and refuses all writes' },
    {
      flags: '--discard',
      about: 'delete what an import of the ledger has stored that was interrupted; import nothing',
    },
    { flags: '--key <public>', about: "the ledger's public key as you noted it, base64" },
    {
      flags: '--password-stdin',
      about: 'read the passphrase from standard input; COUNTERSIGN_PASSWORD may hold it instead',
      ask: { kind: 'password', message: 'Passphrase' },
    },
    DATA_OPTION,
  ],
  examples: [
    { call: 'countersign import acme.ndjson', about: 'asks for the passphrase' },
    { call: 'countersign import acme.ndjson --discard', about: 'gives up an import that was interrupted' },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const path = await invocation.need('file');
    if (invocation.is('discard')) return discard(invocation, path);
    const isReadOnly = invocation.is('read-only');
    const passphrase = isReadOnly ? undefined : await invocation.password({ message: 'Passphrase of the export' });
    const pinned = invocation.get('key');
    const { runImport } = await loadArchive();
    const progress = new ProgressBar(surroundings, output.isJson);
    const findings = new Findings(invocation, () => progress.end());
    const call = () =>
      runImport({
        settings: settingsOf(invocation),
        now: surroundings.now,
        path,
        isReadOnly,
        passphrase,
        pinned,
        found: findings.take,
        progress: (phase, done, all) => progress.at(phase === 'verify' ? 'Verifying' : 'Storing', done, all),
      });
    const { header, summary } = await convertRefusals(progress, call).catch((error: unknown) => {
      if (findings.count > 0 && error instanceof Error) throw new Failure('refused', error.message);
      throw error;
    });
    const { handle, luid } = header.ledger;
    output.done(`Ledger ${handle} imported: ${summary.changes} changes of ${summary.records} records.`);
    const { erased } = summary;
    if (erased)
      output.note(
        `${erased.changes} of them were erased before.` +
          (isReadOnly
            ? ''
            : ' The log here has of these what the export names, which nobody can check.' +
              ` ${erased.names} names of their records stay taken.`),
      );
    if (isReadOnly) output.note('It is read-only: without its private keys it signs nothing, and refuses all writes.');
    output.result(
      { ledger: handle, luid, key: header.keys.system, changes: summary.changes, erased } as Json,
      () => luid,
    );
  },
};

async function discard(invocation: Invocation, named: string): Promise<void> {
  const { output, surroundings } = invocation;
  const { runDiscard } = await loadArchive();
  const progress = new ProgressBar(surroundings, output.isJson);
  const { ledger, rows } = await convertRefusals(progress, () =>
    runDiscard({ settings: settingsThere(invocation), named }),
  );
  output.done(`${rows} rows of the import of ${ledger} deleted.`);
  output.result({ ledger, rows } as Json, () => ledger);
}
