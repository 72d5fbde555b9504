import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { table } from '../../terminal/table.js';
import { formatBytes } from './amounts.js';
import { askOperator, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminCluster: CliCommand = {
  path: ['admin', 'cluster'],
  summary: 'Show how ledgers are spread over the nodes of a cluster',
  about:
    `${RUNS_ANYWHERE}It shows whether each node answers, how many ledgers it has and what they store, and names tables that are not distributed. ` +
    'With --isolate, a ledger first gets a shard to itself, on another node where there is one, and while servers run: Citus can then ' +
    'move it to a node of its own (docs/operations/cluster.md).',
  options: [
    { flags: '--isolate <ledger>', about: 'handle or luid of a ledger that is to have a shard to itself' },
    ...OPERATOR_OPTIONS,
  ],
  examples: [
    { call: 'countersign admin cluster', about: 'nodes, and what each has' },
    { call: 'countersign admin cluster --isolate acme', about: 'before the large ledger is moved' },
  ],
  async run(invocation) {
    const { output } = invocation;
    const view = await askOperator(invocation, 'cluster', { isolate: invocation.get('isolate') });
    output.result(view as unknown as Json, () =>
      table(
        ['NODE', 'STATE', 'SHARDS', 'LEDGERS', 'BYTES'],
        view.nodes.map(({ host, port, isUp, shards, ledgers, bytes }) => [
          `${host}:${port}`,
          isUp ? 'up' : 'down',
          String(shards),
          String(ledgers),
          bytes === null ? '' : formatBytes(bytes),
        ]),
        output.width,
      ),
    );
    if (view.isolated !== undefined) output.note(`The ledger ${view.isolated} has a shard to itself now.`);
    if (view.unspread.length > 0)
      output.note(
        `Not distributed: ${view.unspread.join(', ')}. Stop the servers, and run countersign-server --migrate.`,
      );
  },
};
