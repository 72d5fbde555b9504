import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { formatRecord } from '../../terminal/record-text.js';
import { nounOf, operationsOf, recordArguments, requireId, type SignedRecord } from './kind.js';
import { filterNames, filterOf, LISTING, writeList } from './listing.js';

export function eventListCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'events', 'list'],
    summary: `List the deliveries of ${nounOf(kind)}s`,
    about: 'Newest first. Filters are about meta.status, data.linked, data.record.',
    arguments: recordArguments(kind),
    options: LISTING,
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const filter = await filterOf(invocation, filterNames(kind, 'events'));
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      await writeList(invocation, operations.events(...id, { filter }), {
        headings: ['EVENT', 'STATUS', 'ATTEMPTS', 'MOMENT', 'RECORD', 'LINKED'],
        row: ({ data, meta }: SignedRecord) => [
          data.handle,
          meta.status,
          meta.replay,
          meta.moment,
          data.record,
          data.linked,
        ],
      });
    },
  };
}

export function eventShowCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'events', 'show'],
    summary: `Show a delivery of ${nounOf(kind)}s`,
    arguments: [...recordArguments(kind), { name: 'event', about: 'handle or luid of the delivery' }],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const event = await invocation.need('event');
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      const delivery: Json = await operations.event(...id, event);
      invocation.output.result(delivery, () => formatRecord('Delivery', delivery));
    },
  };
}

export function eventRetryCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'events', 'retry'],
    summary: `Send deliveries of ${nounOf(kind)}s again that failed or were given up`,
    arguments: [
      ...recordArguments(kind),
      { name: 'event', about: 'handle or luid of one delivery; else those of the last hour', isOptional: true },
    ],
    options: [{ flags: '--max-age <minutes>', about: 'how long ago the last attempt may be; 0 for any age' }],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const event = invocation.get('event');
      const age = invocation.get('max-age');
      if (age !== undefined && !/^\d{1,7}$/.test(age)) throw usage(`'${age}' is not a number of minutes.`);
      await invocation.confirm(event === undefined ? 'Send the deliveries again?' : `Send ${event} again?`);
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      await operations.retry(...id, {
        event,
        ...(age === undefined ? {} : { maxAge: Number(age) }),
      });
      invocation.output.done('They are sent again.');
      invocation.output.result({ accepted: true }, () => 'Accepted.');
    },
  };
}
