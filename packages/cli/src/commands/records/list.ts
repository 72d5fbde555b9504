import type { KindDescription } from '@countersign/client/description';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { pluralOf } from '../../description/groups.js';
import { nameMemberOf, nounOf, operationsOf, parentArgument, type SignedRecord } from './kind.js';
import { filterNames, filterOf, LISTING, writeList } from './listing.js';

export function listCommand(kind: KindDescription): CliCommand {
  const filters = filterNames(kind, 'list');
  const name = nameMemberOf(kind).name;
  return {
    path: [kind.record, 'list'],
    summary: `List ${pluralOf(nounOf(kind))}, those changed last first`,
    about: `Filters are about ${filters.join(', ')}.`,
    arguments: parentArgument(kind),
    options: LISTING,
    connects: true,
    async run(invocation) {
      const filter = await filterOf(invocation, filters);
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      await writeList(invocation, operations.list({ filter, limit: 100 }), {
        headings: [name.toUpperCase(), 'STATUS', 'MOMENT', 'LUID'],
        row: ({ data, meta, luid }: SignedRecord) => [data[name], meta.status, meta.moment, luid],
      });
    },
  };
}
