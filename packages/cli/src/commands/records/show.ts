import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { formatRecord } from '../../terminal/record-text.js';
import { writeIntent } from '../money/intent-text.js';
import { nounWithArticle, operationsOf, recordArguments, requireId } from './kind.js';

export function showCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'show'],
    summary: kind.item.includes('{id}') ? `Show ${nounWithArticle(kind)}` : `Show the record of the ${kind.record}`,
    arguments: recordArguments(kind),
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const open = await openLedger(invocation);
      const operations = await operationsOf(kind, invocation, open);
      const record: Json = await operations.get(...id);
      if (kind.record === 'intent') return writeIntent(invocation, open.ledger, record);
      invocation.output.result(record, () => formatRecord(kind.title, record));
    },
  };
}
