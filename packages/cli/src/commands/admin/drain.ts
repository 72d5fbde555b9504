import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { Failure, usage } from '../../terminal/failure.js';
import { table } from '../../terminal/table.js';
import { askOperator, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminDrain: CliCommand = {
  path: ['admin', 'drain'],
  summary: 'Empty a server behind a balancer, and have it serve again',
  about:
    `${RUNS_ANYWHERE}Its /health/ready says 503, connections close with their next answer, and background work, deliveries and intents are left to ` +
    'the other servers; what still reaches it is served. The command ends once nothing is under way; the drain holds after restarts until --undo. docs/operations/drain.md has the steps.',
  arguments: [
    {
      name: 'host',
      about: 'whose server; else that of this command, or the one that --server leads to',
      isOptional: true,
    },
  ],
  options: [
    { flags: '--undo', about: 'have it serve again' },
    { flags: '--all', about: 'all servers of the deployment' },
    { flags: '--status', about: 'only show which are drained' },
    ...OPERATOR_OPTIONS,
  ],
  examples: [
    { call: 'countersign admin drain', about: 'the server at this host; stop it when the command has ended' },
    { call: 'countersign admin drain --undo', about: 'it serves again' },
    { call: 'countersign admin drain --status', about: 'which servers there are, and which are drained' },
  ],
  async run(invocation) {
    const { output } = invocation;
    const [isUndo, isStatus] = [invocation.is('undo'), invocation.is('status')];
    if (isUndo && isStatus) throw usage('--undo and --status cannot be used together.');
    const mode = isStatus ? undefined : isUndo ? 'off' : 'on';
    const asked = { mode, host: invocation.get('host'), isAll: invocation.is('all') } as const;
    const result = await askOperator(invocation, 'drain', asked);
    const { host, servers, unconfirmed } = result;
    output.result(result as unknown as Json, () =>
      table(
        ['HOST', 'PROCESSES', 'DRAINED', 'STATE'],
        servers.map((one) => [
          one.host,
          String(one.processes),
          String(one.drained),
          one.since === null ? 'serves' : `drained since ${one.since}`,
        ]),
        output.width,
      ),
    );
    if (unconfirmed.length > 0)
      throw new Failure('refused', `It is not confirmed by ${unconfirmed.join(', ')}: call again, or look at its log.`);
    if (isStatus) return;
    const which = host === '*' ? 'All servers' : host;
    output.done(isUndo ? `${which} can serve again.` : `${which} drained: nothing is under way any more.`);
  },
};
