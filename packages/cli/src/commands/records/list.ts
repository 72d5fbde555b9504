import type { KindDescription } from '@countersign/client/description';
import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { severalOf } from '../../description/groups.js';
import { naming, nounOf, operationsOf, parentArgument, type Signed } from './kind.js';
import { filterOf, filtersOf, LISTING, listed } from './listing.js';

export function listCommand(kind: KindDescription): Command {
  const filters = filtersOf(kind, 'list');
  const name = naming(kind).name;
  return {
    path: [kind.record, 'list'],
    summary: `List ${severalOf(nounOf(kind))}, those changed last first`,
    about: `Filters are about ${filters.join(', ')}.`,
    arguments: parentArgument(kind),
    options: LISTING,
    connects: true,
    async run(invocation) {
      const filter = await filterOf(invocation, filters);
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      await listed(invocation, operations.list({ filter, limit: 100 }), {
        headings: [name.toUpperCase(), 'STATUS', 'MOMENT', 'LUID'],
        row: ({ data, meta, luid }: Signed) => [data[name], meta.status, meta.moment, luid],
      });
    },
  };
}
