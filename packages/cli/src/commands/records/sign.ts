import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { recordText } from '../../terminal/record-text.js';
import { idOf, oneOf, operationsOf, recordArguments, type Signed } from './kind.js';
import { STATEMENT, statementOf } from './statement.js';

export function signCommand(kind: KindDescription): Command {
  return {
    path: [kind.record, 'sign'],
    summary: kind.item.includes('{id}')
      ? `Add a proof to ${oneOf(kind)}`
      : `Add a proof to the record of the ${kind.record}`,
    about: 'The proof may set the status and the labels, or say something about the record as it is now.',
    arguments: recordArguments(kind),
    options: [{ flags: '--status <status>', about: 'the status to set' }, ...STATEMENT],
    connects: true,
    async run(invocation) {
      const id = await idOf(kind, invocation);
      const status = invocation.get('status');
      const statement = { ...(await statementOf(invocation)), ...(status === undefined ? {} : { status }) };
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      const target: Signed = await operations.get(...id);
      const signed: Signed = await operations.sign(target, statement);
      invocation.output.done(`${kind.title} ${id[0] ?? ''} signed.`);
      invocation.output.result(signed as unknown as Json, () => recordText(kind.title, signed));
    },
  };
}
