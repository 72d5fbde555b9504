import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { askOperator, LEDGER_ARGUMENT, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminSuspend: CliCommand = {
  path: ['admin', 'suspend'],
  summary: 'Stop the writes of a ledger, or its reads as well',
  about:
    `${RUNS_ANYWHERE}Whoever is refused gets a 403 with the reason, signed by the ledger: keep names out of it. Deliveries of what is ` +
    'stored, and intents that are decided, go on. With --reads-too webhooks stop, and reports of bridges are refused, so decided intents ' +
    'wait as well. docs/operations/tenants.md lists what stops.',
  arguments: [LEDGER_ARGUMENT],
  options: [
    {
      flags: '--reason <text>',
      about: 'why, in up to 500 characters on one line; it is told to those who are refused',
    },
    { flags: '--reads-too', about: 'stop reads, tokens, webhooks and reports of bridges as well' },
    ...OPERATOR_OPTIONS,
  ],
  examples: [
    {
      call: "countersign admin suspend acme --reason 'Floods the server. Call 555-0100.'",
      about: 'acme can be read only',
    },
  ],
  async run(invocation) {
    const { output } = invocation;
    const reason = invocation.get('reason');
    if (reason === undefined) throw usage('A suspension needs a reason.', 'add --reason <text>');
    const level = invocation.is('reads-too') ? 'all' : 'writes';
    const ledger = await invocation.need('ledger');
    const result = await askOperator(invocation, 'suspend', { ledger, level, reason });
    output.done(`${result.handle} is suspended: ${level === 'all' ? 'no reads and no writes' : 'no writes'}.`);
    output.note(`Resume it with \`countersign admin resume ${result.handle}\`.`);
    output.result(result as unknown as Json, () => result.luid);
  },
};
