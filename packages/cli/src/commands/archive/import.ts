import type { Json } from '@countersign/protocol';
import type { Command } from '../../description/command.js';
import { Failure } from '../../terminal/failure.js';
import { Progress } from '../../terminal/progress.js';
import { DATA, DEPLOYMENT, refusedAsFailure, settingsOf } from './export.js';
import { Findings } from './findings.js';
import { loadArchive } from './server-parts.js';

export const importCommand: Command = {
  path: ['import'],
  summary: 'Restore a ledger from an export',
  about:
    `${DEPLOYMENT}The file is verified first, and nothing is stored when something is found. The ledger appears when all of it ` +
    'is stored; an import that was interrupted goes on when it is started again. Stop the deployment that the ledger came from: ' +
    'two that sign with one key know nothing of each other.',
  arguments: [{ name: 'file', about: 'an export; one without keys only with --read-only' }],
  options: [
    { flags: '--read-only', about: 'without the private keys: the ledger is read, and refuses all writes' },
    { flags: '--key <public>', about: "the ledger's public key as you noted it, base64" },
    {
      flags: '--password-stdin',
      about: 'read the passphrase from standard input; COUNTERSIGN_PASSWORD may hold it instead',
      ask: { kind: 'password', message: 'Passphrase' },
    },
    DATA,
  ],
  examples: [{ call: 'countersign import acme.ndjson', about: 'asks for the passphrase' }],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const path = await invocation.need('file');
    const isReadOnly = invocation.is('read-only');
    const passphrase = isReadOnly ? undefined : await invocation.password({ message: 'Passphrase of the export' });
    const pinned = invocation.get('key');
    const { runImport } = await loadArchive();
    const progress = new Progress(surroundings, output.isJson);
    const findings = new Findings(invocation, () => progress.end());
    const call = () =>
      runImport({
        settings: settingsOf(invocation),
        now: surroundings.now,
        path,
        isReadOnly,
        ...(passphrase === undefined ? {} : { passphrase }),
        ...(pinned === undefined ? {} : { pinned }),
        found: findings.take,
        progress: (phase, done, all) => progress.at(phase === 'verify' ? 'Verifying' : 'Storing', done, all),
      });
    const { header, summary } = await refusedAsFailure(progress, call).catch((error: unknown) => {
      if (findings.count > 0 && error instanceof Error) throw new Failure('refused', error.message);
      throw error;
    });
    const { handle, luid } = header.ledger;
    output.done(`Ledger ${handle} imported: ${summary.changes} changes of ${summary.records} records.`);
    if (isReadOnly) output.note('It is read-only: without its private keys it signs nothing, and refuses all writes.');
    output.result({ ledger: handle, luid, key: header.keys.system, changes: summary.changes } as Json, () => luid);
  },
};
