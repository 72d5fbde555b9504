import type { KindDescription } from '@countersign/client/description';
import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { idOf, nounOf, oneOf, operationsOf, recordArguments, type Signed } from './kind.js';
import { STATEMENT, statementOf } from './statement.js';

export function dropCommand(kind: KindDescription): Command {
  return {
    path: [kind.record, 'drop'],
    summary: `Drop ${oneOf(kind)}`,
    about: 'Asks for a confirmation. The history stays, and is found by the luid.',
    arguments: recordArguments(kind),
    options: [
      { flags: '--reason <text>', about: 'why; the proof of the drop says so' },
      ...STATEMENT.filter(({ flags }) => flags.startsWith('--say')),
    ],
    connects: true,
    async run(invocation) {
      const [id = ''] = await idOf(kind, invocation);
      await invocation.confirm(`Drop the ${nounOf(kind)} ${id}?`);
      const reason = invocation.get('reason');
      const custom = { ...(await statementOf(invocation)), ...(reason === undefined ? {} : { reason }) };
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      const record: Signed = await operations.get(id);
      await operations.drop(record, { custom });
      invocation.output.done(`${kind.title} ${id} dropped.`);
      invocation.output.result({ dropped: record.luid }, () => `Luid: ${record.luid}`);
    },
  };
}
