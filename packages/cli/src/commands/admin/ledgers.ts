import type { Json } from '@countersign/protocol';
import type { LedgerOrder } from '@countersign/server/admin';
import type { CliCommand } from '../../description/command.js';
import { table } from '../../terminal/table.js';
import { formatBytes } from './amounts.js';
import { askOperator, OPERATOR_OPTIONS, RUNS_ANYWHERE, wholeNumberOf } from './shared.js';

const LEDGER_ORDERS: readonly LedgerOrder[] = ['made', 'hour', 'changes', 'bytes', 'full'];

export const adminLedgers: CliCommand = {
  path: ['admin', 'ledgers'],
  summary: 'List the ledgers of a server, with what they store and do',
  about:
    `${RUNS_ANYWHERE}Changes of the last hour and day are estimates, derived from the log. Records are counted up to 10,000. ` +
    '--order hour shows only ledgers that have changed within the hour, and finds who floods the server now.',
  options: [
    {
      flags: '--order <by>',
      about:
        'newest first; most changes of the last hour or of all time first; most bytes, or most of what is allowed, first',
      choices: LEDGER_ORDERS,
      default: 'made',
    },
    { flags: '--owner <public>', about: 'only those that this key owns, base64' },
    { flags: '--suspended', about: 'only those that are suspended' },
    { flags: '--limit <number>', about: 'how many, up to 1,000', default: '50' },
    { flags: '--page <number>', about: 'which of the pages of that length', default: '1' },
    ...OPERATOR_OPTIONS,
  ],
  examples: [
    { call: 'countersign admin ledgers --order hour --limit 10', about: 'those that write most now' },
    { call: 'countersign admin ledgers --order full --limit 10', about: 'those that are at their quota, or near it' },
    { call: 'countersign admin ledgers --suspended', about: 'those that an operator has stopped' },
  ],
  async run(invocation) {
    const { output } = invocation;
    const limit = wholeNumberOf(invocation, 'limit', 1_000);
    const page = wholeNumberOf(invocation, 'page', 1_000_000);
    const found = await askOperator(invocation, 'ledgers', {
      order: invocation.get('order') as LedgerOrder,
      isSuspended: invocation.is('suspended'),
      owner: invocation.get('owner'),
      limit,
      skip: limit * (page - 1),
    });
    const { ledgers, total } = found;
    output.result({ ...found, page, pages: Math.ceil(total / limit) } as unknown as Json, () =>
      table(
        ['HANDLE', 'MADE', 'OWNERS', 'RECORDS', 'CHANGES', 'HOUR', 'DAY', 'BYTES', 'QUOTA', 'SUSPENDED'],
        ledgers.map((one) => [
          one.handle,
          one.made?.slice(0, 16) ?? '',
          one.owners.map(ownerOf).join(', '),
          `${one.records.count}${one.records.isMore ? '+' : ''}`,
          String(one.changes.all),
          String(one.changes.hour),
          String(one.changes.day),
          formatBytes(one.bytes),
          one.quota.isOwn ? formatBytes(one.quota.bytes ?? 0) : 'default',
          [one.suspended?.level ?? '', one.logStopped === null ? '' : 'log stopped'].filter(Boolean).join(', '),
        ]),
        output.width,
      ),
    );
    output.note(`${ledgers.length} of ${total} ledgers, page ${page} of ${Math.max(1, Math.ceil(total / limit))}.`);
  },
};

/** By name where one is known, else by the beginning of the key. */
export function ownerOf({ key, signers }: { readonly key: string; readonly signers: readonly string[] }): string {
  return signers[0] ?? `${key.slice(0, 12)}…`;
}
