import { DESCRIPTION, type KindDescription } from '@countersign/client/description';
import { clientOf, openKey, targetOf } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import type { Signed } from '../records/kind.js';
import { filterOf, filtersOf, LISTING, listed } from '../records/listing.js';

const LEDGER = DESCRIPTION.find(({ record }) => record === 'ledger') as KindDescription;

export const ledgerList: Command = {
  path: ['ledger', 'list'],
  summary: 'List the ledgers that the key owns',
  options: LISTING,
  connects: true,
  async run(invocation) {
    const filter = await filterOf(invocation, filtersOf(LEDGER, 'list'));
    const target = await targetOf(invocation);
    if (target.signer === undefined) throw usage('No key is chosen.', 'give --signer');
    const server = await clientOf(target, await openKey(invocation, target.signer), undefined);
    await listed(invocation, server.ledgers.list({ filter }) as AsyncIterable<Signed>, {
      headings: ['HANDLE', 'STATUS', 'MOMENT', 'LUID'],
      row: ({ data, meta, luid }) => [data.handle, meta.status, meta.moment, luid],
    });
  },
};
