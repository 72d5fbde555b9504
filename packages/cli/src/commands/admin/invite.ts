import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { parseAge } from './amounts.js';
import { askOperator, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminInvite: CliCommand = {
  path: ['admin', 'invite'],
  summary: 'Make an invitation: a code that creates one ledger, once',
  about:
    `${RUNS_ANYWHERE}It is valid whatever SERVER_ACCESS_RULES says. The code is printed once: the server keeps only its hash. Whoever has it creates a ledger ` +
    'with `countersign init <ledger> --server <url> --invitation <code>`, and owns it.',
  options: [
    { flags: '--note <text>', about: 'whom it is for, in up to 200 characters on one line; only operators see it' },
    { flags: '--for <time>', about: 'how long it is valid, from 1m to 90d, such as 12h', default: '7d' },
    ...OPERATOR_OPTIONS,
  ],
  examples: [{ call: "countersign admin invite --note 'Bank A' --for 2d", about: 'prints the code' }],
  async run(invocation) {
    const { output } = invocation;
    const text = invocation.get('for') ?? '';
    const seconds = parseAge(text);
    if (seconds === undefined || seconds < 60 || seconds > 90 * 86_400)
      throw usage(`--for is a length of time from 1m to 90d, such as 12h, not '${text}'.`);
    const note = (invocation.get('note') ?? '').trim();
    const result = await askOperator(invocation, 'invite', { note, seconds });
    output.done(`Invitation ${result.id} made, valid for one ledger until ${result.expires}.`);
    output.note(`Revoke it with \`countersign admin invitations --revoke ${result.id}\`.`);
    output.result(result as unknown as Json, () => result.code);
  },
};
