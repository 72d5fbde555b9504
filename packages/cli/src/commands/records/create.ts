import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { formatRecord } from '../../terminal/record-text.js';
import {
  nameMemberOf,
  nounOf,
  nounWithArticle,
  operationsOf,
  parentArgument,
  positionOf,
  type SignedRecord,
} from './kind.js';
import { memberOptions, newRecordData } from './members.js';
import { SECRET, STATEMENT, secretsOf, statementOf } from './statement.js';

export function createCommand(kind: KindDescription): CliCommand {
  const name = nameMemberOf(kind).name;
  const noun = nounOf(kind);
  return {
    path: [kind.record, 'create'],
    summary: `Create ${nounWithArticle(kind)}`,
    arguments: [
      ...parentArgument(kind),
      {
        name: positionOf(name),
        about: `${name} of the ${noun}`,
        ask: { kind: 'text', message: `${name === 'handle' ? 'Handle' : name} of the ${noun}` },
      },
    ],
    options: [...memberOptions(kind), ...STATEMENT, ...SECRET],
    connects: true,
    async run(invocation) {
      const data = await newRecordData(kind, invocation);
      const statement = await statementOf(invocation);
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      const made: SignedRecord = await operations.create(data, { custom: statement, ...(await secretsOf(invocation)) });
      invocation.output.done(`${kind.title} ${data[name]} created.`);
      invocation.output.result(made as unknown as Json, () => formatRecord(kind.title, made));
    },
  };
}
