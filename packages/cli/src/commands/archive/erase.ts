import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { ProgressBar } from '../../terminal/progress.js';
import { convertRefusals, DATA_OPTION, DEPLOYMENT, settingsThere } from './export.js';
import { loadArchive } from './server-parts.js';

export const eraseCommand: CliCommand = {
  path: ['erase'],
  summary: 'Erase the contents of a dropped record or a final intent irrevocably',
  about:
    `${DEPLOYMENT}The texts of all versions of the record go, with their hashes and salts; a change signed by the ledger says ` +
    'so, with the reason: keep names out of that. docs/operations/erasure.md tells what backups and others still hold.',
  arguments: [
    { name: 'ledger', about: 'handle or luid' },
    { name: 'kind', about: 'kind of the record, such as wallet' },
    { name: 'luid', about: 'luid of the record' },
  ],
  options: [{ flags: '--reason <text>', about: 'why; it stays' }, DATA_OPTION],
  examples: [
    { call: "countersign erase acme wallet '$wlt.-3DaeZa0HiH8CpyPc' --reason 'Request 4711'", about: 'asks before' },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const [ledger = '', kind = '', luid = ''] = ['ledger', 'kind', 'luid'].map((name) => invocation.get(name));
    const reason = invocation.get('reason');
    if (reason === undefined) throw usage('An erasure needs a reason.', 'add --reason <text>');
    await invocation.confirm(`Erase the ${kind} ${luid}? It cannot be undone.`);
    const { runErase } = await loadArchive();
    const progress = new ProgressBar(surroundings, output.isJson);
    const { record, isRepeated } = await convertRefusals(progress, () =>
      runErase({ settings: settingsThere(invocation), now: surroundings.now, ledger, kind, luid, reason }),
    );
    output.done(isRepeated ? `It was erased at ${record.meta.moment}.` : `${luid} is erased.`);
    output.result(record as unknown as Json, () => luid);
  },
};
