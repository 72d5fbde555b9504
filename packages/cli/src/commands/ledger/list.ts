import { DESCRIPTION, type KindDescription } from '@countersign/client/description';
import { findTarget, makeClient, openKey } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import type { SignedRecord } from '../records/kind.js';
import { filterNames, filterOf, LISTING, writeList } from '../records/listing.js';

const LEDGER_KIND = DESCRIPTION.find(({ record }) => record === 'ledger') as KindDescription;

export const ledgerList: CliCommand = {
  path: ['ledger', 'list'],
  summary: 'List the ledgers that the key owns',
  options: LISTING,
  connects: true,
  async run(invocation) {
    const filter = await filterOf(invocation, filterNames(LEDGER_KIND, 'list'));
    const target = await findTarget(invocation);
    if (target.signer === undefined) throw usage('No key is chosen.', 'give --signer');
    const server = await makeClient(target, await openKey(invocation, target.signer), undefined);
    await writeList(invocation, server.ledgers.list({ filter }) as AsyncIterable<SignedRecord>, {
      headings: ['HANDLE', 'STATUS', 'MOMENT', 'LUID'],
      row: ({ data, meta, luid }) => [data.handle, meta.status, meta.moment, luid],
    });
  },
};
