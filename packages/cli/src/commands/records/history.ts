import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { formatRecord } from '../../terminal/record-text.js';
import { writeIntent } from '../money/intent-text.js';
import { nounWithArticle, operationsOf, recordArguments, requireId, type SignedRecord } from './kind.js';
import { filterNames, filterOf, LISTING, writeList } from './listing.js';

export function historyCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'history'],
    summary: kind.item.includes('{id}')
      ? `List the versions of ${nounWithArticle(kind)}`
      : `List the versions of the ${kind.record}`,
    about:
      'Newest first. A record that was dropped is found by its luid. Filters are about meta.action, meta.change, meta.moment.',
    arguments: recordArguments(kind),
    options: [{ flags: '--change <number>', about: 'show this version' }, ...LISTING],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const filter = await filterOf(invocation, filterNames(kind, 'history'));
      const number = invocation.get('change');
      if (number !== undefined && !/^[1-9]\d{0,8}$/.test(number))
        throw usage(`'${number}' is not the number of a version.`);
      const open = await openLedger(invocation);
      const operations = await operationsOf(kind, invocation, open);
      if (number !== undefined) {
        const version: Json = await operations.change(...id, Number(number));
        if (kind.record === 'intent') return writeIntent(invocation, open.ledger, version);
        invocation.output.result(version, () => formatRecord(kind.title, version));
        return;
      }
      await writeList(invocation, operations.history(...id, { filter }), {
        headings: ['CHANGE', 'ACTION', 'STATUS', 'MOMENT', 'PROOFS', 'HASH'],
        row: ({ hash, meta }: SignedRecord) => [
          meta.change,
          meta.action,
          meta.status,
          meta.moment,
          (meta.proofs as readonly unknown[]).length,
          hash,
        ],
      });
    },
  };
}
