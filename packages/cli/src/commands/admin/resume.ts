import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { settingsThere } from '../archive/export.js';
import { loadAdmin } from '../archive/server-parts.js';
import { ADMIN_OPTIONS, asOperator, BESIDE, LEDGER_ARGUMENT } from './shared.js';

export const adminResume: CliCommand = {
  path: ['admin', 'resume'],
  summary: 'Let a suspended ledger go on',
  about:
    `${BESIDE}Intents that have waited meanwhile are seen to within seconds; those whose time is over expire. What bridges have reported ` +
    'of them was refused: `admin intents <ledger> --retry` calls them again.',
  arguments: [LEDGER_ARGUMENT],
  options: ADMIN_OPTIONS,
  examples: [{ call: 'countersign admin resume acme', about: 'acme can be written again' }],
  async run(invocation) {
    const { output } = invocation;
    const ledger = await invocation.need('ledger');
    const { runResume } = await loadAdmin();
    const result = await asOperator(() => runResume({ settings: settingsThere(invocation), ledger }));
    const { handle, before } = result;
    output.done(
      before === null ? `${handle} was not suspended.` : `${handle} goes on. It was suspended since ${before.since}.`,
    );
    output.result(result as unknown as Json, () => result.luid);
  },
};
