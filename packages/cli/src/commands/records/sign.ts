import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { formatRecord } from '../../terminal/record-text.js';
import { writeIntent } from '../money/intent-text.js';
import { awaitIntent, timeoutOf, WAIT } from '../money/intent-wait.js';
import { nounWithArticle, operationsOf, recordArguments, requireId, type SignedRecord } from './kind.js';
import { STATEMENT, statementOf } from './statement.js';

export function signCommand(kind: KindDescription): CliCommand {
  const isIntent = kind.record === 'intent';
  return {
    path: [kind.record, 'sign'],
    summary: kind.item.includes('{id}')
      ? `Add a proof to ${nounWithArticle(kind)}`
      : `Add a proof to the record of the ${kind.record}`,
    about: 'The proof may set the status and the labels, or say something about the record as it is now.',
    arguments: recordArguments(kind),
    options: [{ flags: '--status <status>', about: 'the status to set' }, ...STATEMENT, ...(isIntent ? WAIT : [])],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const status = invocation.get('status');
      const said = await statementOf(invocation);
      if (status !== undefined && said.status !== undefined)
        throw usage('The status is given by --status and by --say.');
      const statement = status === undefined ? said : { ...said, status };
      if (isIntent) await timeoutOf(invocation);
      const open = await openLedger(invocation, true);
      const operations = await operationsOf(kind, invocation, open);
      const target: SignedRecord = await operations.get(...id);
      const proved: SignedRecord = await operations.sign(target, statement);
      const signed = isIntent ? await awaitIntent(invocation, open.ledger, proved as never, 'completed') : proved;
      invocation.output.done(`${kind.title} ${id[0] ?? ''} signed.`);
      if (isIntent) return writeIntent(invocation, open.ledger, signed);
      invocation.output.result(signed as unknown as Json, () => formatRecord(kind.title, signed));
    },
  };
}
