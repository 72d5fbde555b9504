import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { table } from '../../terminal/table.js';
import { formatCount } from './amounts.js';
import { askOperator, OPERATOR_OPTIONS, RUNS_ANYWHERE, wholeNumberOf } from './shared.js';

export const adminInvitations: CliCommand = {
  path: ['admin', 'invitations'],
  summary: 'List invitations and the ledgers created with them, or revoke one',
  about: `${RUNS_ANYWHERE}The newest come first. Used and expired ones are deleted 90 days after they expire, when the next invitation is made.`,
  options: [
    { flags: '--limit <number>', about: 'how many, up to 1,000', default: '50' },
    {
      flags: '--revoke <id>',
      about: 'delete the invitation with this number, unless it was used: its code is refused from then on',
    },
    ...OPERATOR_OPTIONS,
  ],
  examples: [{ call: 'countersign admin invitations --revoke 3', about: 'its code is refused from now on' }],
  async run(invocation) {
    const { output } = invocation;
    const limit = wholeNumberOf(invocation, 'limit', 1_000);
    const revoke = invocation.get('revoke') === undefined ? undefined : wholeNumberOf(invocation, 'revoke', 9_999_999);
    const found = await askOperator(invocation, 'invitations', { limit, ...(revoke === undefined ? {} : { revoke }) });
    if (revoke !== undefined) output.done(`Invitation ${revoke} is revoked.`);
    output.result(found as unknown as Json, () =>
      table(
        ['ID', 'NOTE', 'MADE', 'EXPIRES', 'STATE', 'LEDGER'],
        found.invitations.map(({ id, note, made, expires, state, ledger }) => [
          String(id),
          note,
          made.slice(0, 16),
          expires.slice(0, 16),
          state,
          ledger?.handle ?? '',
        ]),
        output.width,
      ),
    );
    output.note(
      `${formatCount(found.invitations.length, 'invitation', 'invitations')}${found.isMore ? ', and more' : ''}.`,
    );
  },
};
