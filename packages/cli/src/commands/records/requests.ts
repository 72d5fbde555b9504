import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { formatRecord } from '../../terminal/record-text.js';
import { operationsOf } from './kind.js';
import { filterNames, filterOf, LISTING, writeList } from './listing.js';

/** An entry, as far as its row shows it. */
interface RequestRow {
  readonly data: {
    readonly handle: string;
    readonly source: string | null;
    readonly action: string;
    readonly record: string;
    readonly result: { readonly status: number; readonly body?: string };
  };
  readonly meta: { readonly moment: string };
}

/** The journal of the ledger (interface/journal#list-entries). */
export function requestListCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'requests', 'list'],
    summary: 'List the journal of requests of the ledger',
    about: `Newest first. Filters are about ${filterNames(kind, 'requests').join(', ')}.`,
    options: LISTING,
    connects: true,
    async run(invocation) {
      const filter = await filterOf(invocation, filterNames(kind, 'requests'));
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      await writeList(invocation, operations.requests({ filter }), {
        headings: ['ENTRY', 'MOMENT', 'SOURCE', 'ACTION', 'RECORD', 'STATUS', 'ABOUT'],
        row: ({ data: { handle, source, action, record, result }, meta }: RequestRow) => [
          ...[handle, meta.moment, source, action, record, result.status],
          result.body,
        ],
      });
    },
  };
}

/** One entry (interface/journal#read-an-entry). */
export function requestShowCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'requests', 'show'],
    summary: 'Show an entry of the journal of requests',
    arguments: [{ name: 'request', about: 'handle or luid of the entry' }],
    connects: true,
    async run(invocation) {
      const id = await invocation.need('request');
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      const entry: Json = await operations.request(id);
      invocation.output.result(entry, () => formatRecord('Request', entry));
    },
  };
}
