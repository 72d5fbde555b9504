import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { askOperator, LEDGER_ARGUMENT, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminResume: CliCommand = {
  path: ['admin', 'resume'],
  summary: 'Let a suspended ledger go on',
  about:
    `${RUNS_ANYWHERE}Intents that have waited meanwhile go on within seconds; those whose time is over expire. What bridges have reported ` +
    'of them was refused: `admin intents <ledger> --retry` calls them again.',
  arguments: [LEDGER_ARGUMENT],
  options: OPERATOR_OPTIONS,
  examples: [{ call: 'countersign admin resume acme', about: 'acme can be written again' }],
  async run(invocation) {
    const { output } = invocation;
    const ledger = await invocation.need('ledger');
    const result = await askOperator(invocation, 'resume', { ledger });
    const { handle, before } = result;
    output.done(
      before === null ? `${handle} was not suspended.` : `${handle} goes on. It was suspended since ${before.since}.`,
    );
    output.result(result as unknown as Json, () => result.luid);
  },
};
