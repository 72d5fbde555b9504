import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { Failure, usage } from '../../terminal/failure.js';
import { askOperator, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminReadOnly: CliCommand = {
  path: ['admin', 'read-only'],
  summary: 'Have the server take reads only, or show whether it does',
  about:
    `${RUNS_ANYWHERE}Whoever is refused gets a 503 with the reason: keep names out of it. It holds until it is turned off, after restarts as well. ` +
    'Events that are stored are sent, and changes are sealed, meanwhile; intents and schedules wait. docs/operations/read-only.md lists what stops.',
  arguments: [{ name: 'mode', about: 'on or off; else it is shown', isOptional: true }],
  options: [
    {
      flags: '--reason <text>',
      about: 'why, in up to 500 characters on one line; it is told to those who are refused',
    },
    ...OPERATOR_OPTIONS,
  ],
  examples: [
    {
      call: "countersign admin read-only on --reason 'Maintenance until 18:00 UTC.'",
      about: 'ends when nothing is written any more',
    },
    { call: 'countersign admin read-only off', about: 'writes are taken again' },
  ],
  async run(invocation) {
    const { output } = invocation;
    const mode = invocation.get('mode');
    if (mode !== undefined && mode !== 'on' && mode !== 'off') throw usage(`The mode is on or off, not '${mode}'.`);
    const reason = invocation.get('reason');
    if (mode === 'on' && reason === undefined) throw usage('Read-only mode needs a reason.', 'add --reason <text>');
    if (mode !== 'on' && reason !== undefined)
      throw usage('--reason goes with on only.', 'countersign admin read-only on --reason <text>');
    const result = await askOperator(invocation, 'read-only', { mode, reason });
    const { readOnly, unconfirmed } = result;
    output.result(result as unknown as Json, () =>
      readOnly === null ? 'Writes are taken.' : `Read-only since ${readOnly.since}: ${readOnly.reason}`,
    );
    if (unconfirmed.length === 0) return;
    throw new Failure('refused', `It is not confirmed by ${unconfirmed.join(', ')}: look at its log, or stop it.`);
  },
};
