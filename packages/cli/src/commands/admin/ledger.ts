import type { Json } from '@countersign/protocol';
import type { LedgerView } from '@countersign/server/admin';
import type { CliCommand } from '../../description/command.js';
import { printable } from '../../terminal/printable.js';
import { formatAge, formatBytes } from './amounts.js';
import { ownerOf } from './ledgers.js';
import { askOperator, LEDGER_ARGUMENT, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminLedger: CliCommand = {
  path: ['admin', 'ledger'],
  summary: 'Show one ledger: what it stores, its log, deliveries and intents',
  about: `${RUNS_ANYWHERE}Records are counted by kind, a million at most.`,
  arguments: [LEDGER_ARGUMENT],
  options: OPERATOR_OPTIONS,
  examples: [{ call: 'countersign admin ledger acme', about: 'all that there is to see of acme from outside' }],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const ledger = await invocation.need('ledger');
    const view = await askOperator(invocation, 'ledger', { ledger });
    output.result(view as unknown as Json, () => formatLedger(view, surroundings.now()));
  },
};

function formatLedger(view: LedgerView, now: number): string {
  const lines: [string, string][] = [
    ['Handle', view.handle],
    ['Luid', view.luid],
    ['Made', view.made ?? 'unknown'],
    ['Owners', view.owners.map((one) => `${ownerOf(one)} (${one.key})`).join(', ')],
    ['Suspended', formatSuspension(view)],
    ['Stores', storesOf(view)],
    ['Changes', `${view.changes.all}; of the last hour ${view.changes.hour}, of the last day ${view.changes.day}`],
    ['Last change', view.lastChange ?? 'none'],
    ['Records', formatRecords(view)],
    ['Log', formatLog(view)],
    ['Deliveries', formatDeliveries(view)],
    [
      'Failing',
      view.deliveries.failing.map((one) => `${one.receiver} (${one.failures} in a row)`).join(', ') || 'none',
    ],
    ['Intents', formatIntents(view, now)],
    ['Leader', view.leader ?? 'none of late'],
  ];
  return lines.map(([name, text]) => `${`${name}:`.padEnd(13)}${printable(text)}`).join('\n');
}

function formatSuspension({ suspended }: LedgerView): string {
  if (suspended === null) return 'no';
  return `${suspended.level === 'all' ? 'reads and writes' : 'writes'} since ${suspended.since}: ${suspended.reason}`;
}

function storesOf({ bytes, quota }: LedgerView): string {
  if (!quota.isOwn && quota.bytes === null) return `${formatBytes(bytes)}; it may store what LEDGER_QUOTA allows each`;
  return `${formatBytes(bytes)} of ${formatBytes(quota.bytes ?? 0)}${quota.isOwn ? ', by a quota of its own' : ''}`;
}

function formatRecords({ kinds }: LedgerView): string {
  return Object.entries(kinds)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

function formatLog({ log }: LedgerView): string {
  if (log.stopped !== null) return `stopped at ${log.size} leaves: ${log.stopped}`;
  const waits = log.waiting === 0 ? '' : `; ${log.waiting} writes wait, the oldest for ${formatAge(log.lag)}`;
  return `${log.size} leaves, sealed ${log.sealed ?? 'never'}${waits}`;
}

function formatDeliveries({ deliveries: { waiting, overdue, aside } }: LedgerView): string {
  if (waiting + aside === 0) return 'none wait';
  const late = overdue > 0 ? `, the oldest due for ${formatAge(overdue)}` : '';
  return `${waiting} wait${late}; ${aside} set aside`;
}

function formatIntents({ intents }: LedgerView, now: number): string {
  const told = intents.map(({ stage, count, oldest }) => {
    return `${count} ${stage} (oldest ${formatAge((now - Date.parse(oldest)) / 1_000)})`;
  });
  return told.join(', ') || 'none under way';
}
