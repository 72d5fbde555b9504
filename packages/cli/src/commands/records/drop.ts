import type { KindDescription } from '@countersign/client/description';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { nounOf, nounWithArticle, operationsOf, recordArguments, requireId, type SignedRecord } from './kind.js';
import { STATEMENT, statementOf } from './statement.js';

export function dropCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'drop'],
    summary: `Drop ${nounWithArticle(kind)}`,
    about: 'Asks for a confirmation. The history stays, and is found by the luid.',
    arguments: recordArguments(kind),
    options: [
      { flags: '--reason <text>', about: 'why; the proof of the drop says so' },
      ...STATEMENT.filter(({ flags }) => flags.startsWith('--say')),
    ],
    connects: true,
    async run(invocation) {
      const [id = ''] = await requireId(kind, invocation);
      await invocation.confirm(`Drop the ${nounOf(kind)} ${id}?`);
      const reason = invocation.get('reason');
      const custom = { ...(await statementOf(invocation)), reason };
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      const record: SignedRecord = await operations.get(id);
      await operations.drop(record, { custom });
      invocation.output.done(`${kind.title} ${id} dropped.`);
      invocation.output.result({ dropped: record.luid }, () => `Luid: ${record.luid}`);
    },
  };
}
