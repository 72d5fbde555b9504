import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { formatBytes } from './amounts.js';
import { askOperator, LEDGER_ARGUMENT, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminQuota: CliCommand = {
  path: ['admin', 'quota'],
  summary: 'Show or set what a ledger may store',
  about:
    `${RUNS_ANYWHERE}Without --bytes the quota is shown. A new one counts within ten seconds. Below what is stored, creates, updates and most proofs are ` +
    'refused, and what ends records goes on (docs/interface/limits.md).',
  arguments: [LEDGER_ARGUMENT],
  options: [
    { flags: '--bytes <size>', about: 'such as 10GiB; default for what LEDGER_QUOTA allows each' },
    ...OPERATOR_OPTIONS,
  ],
  examples: [
    { call: 'countersign admin quota acme --bytes 10GiB', about: 'whatever LEDGER_QUOTA says' },
    { call: 'countersign admin quota acme --bytes default', about: 'takes it back' },
  ],
  async run(invocation) {
    const { output } = invocation;
    const ledger = await invocation.need('ledger');
    const bytes = invocation.get('bytes');
    const result = await askOperator(invocation, 'quota', { ledger, bytes });
    const { quota } = result;
    const each = quota.bytes === null ? 'what LEDGER_QUOTA allows each' : `${formatBytes(quota.bytes)}, as each`;
    const may = quota.isOwn ? formatBytes(quota.bytes ?? 0) : each;
    output.result(result as unknown as Json, () => {
      return `${result.handle} stores ${formatBytes(result.bytes)}, and may store ${may}.`;
    });
  },
};
