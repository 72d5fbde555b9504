import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { recordText } from '../../terminal/record-text.js';
import { writeIntent } from '../money/intent-text.js';
import { settledIntent, timeoutOf, WAIT } from '../money/settled.js';
import { idOf, oneOf, operationsOf, recordArguments, type Signed } from './kind.js';
import { STATEMENT, statementOf } from './statement.js';

export function signCommand(kind: KindDescription): Command {
  const isIntent = kind.record === 'intent';
  return {
    path: [kind.record, 'sign'],
    summary: kind.item.includes('{id}')
      ? `Add a proof to ${oneOf(kind)}`
      : `Add a proof to the record of the ${kind.record}`,
    about: 'The proof may set the status and the labels, or say something about the record as it is now.',
    arguments: recordArguments(kind),
    options: [{ flags: '--status <status>', about: 'the status to set' }, ...STATEMENT, ...(isIntent ? WAIT : [])],
    connects: true,
    async run(invocation) {
      const id = await idOf(kind, invocation);
      const status = invocation.get('status');
      const statement = { ...(await statementOf(invocation)), ...(status === undefined ? {} : { status }) };
      if (isIntent) await timeoutOf(invocation);
      const open = await openLedger(invocation, true);
      const operations = await operationsOf(kind, invocation, open);
      const target: Signed = await operations.get(...id);
      const proved: Signed = await operations.sign(target, statement);
      const signed = isIntent ? await settledIntent(invocation, open.ledger, proved as never, 'completed') : proved;
      invocation.output.done(`${kind.title} ${id[0] ?? ''} signed.`);
      if (isIntent) return writeIntent(invocation, open.ledger, signed);
      invocation.output.result(signed as unknown as Json, () => recordText(kind.title, signed));
    },
  };
}
