import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { table } from '../../terminal/table.js';
import { formatBytes } from './amounts.js';
import { askOperator, OPERATOR_OPTIONS, RUNS_ANYWHERE } from './shared.js';

export const adminCluster: CliCommand = {
  path: ['admin', 'cluster'],
  summary: 'Show how ledgers are spread over the nodes of a cluster',
  about:
    `${RUNS_ANYWHERE}It shows whether each node answers, how many ledgers it has and what they store, and names tables that are not distributed ` +
    'and ledgers that are lost: their node has gone back to before they were made. ' +
    'With --isolate, a ledger first gets a shard to itself, on another node where there is one, and while servers run: Citus can then ' +
    'move it to a node of its own. With --forget, what is left of a lost ledger is deleted after a confirmation: its handle is free, and ' +
    'an export of it can be imported (docs/operations/cluster.md).',
  options: [
    { flags: '--isolate <ledger>', about: 'handle or luid of a ledger that is to have a shard to itself' },
    { flags: '--forget <ledger>', about: 'handle or luid of a lost ledger whose handle is to be free again' },
    ...OPERATOR_OPTIONS,
  ],
  examples: [
    { call: 'countersign admin cluster', about: 'nodes, and what each has' },
    { call: 'countersign admin cluster --isolate acme', about: 'before the large ledger is moved' },
    { call: 'countersign admin cluster --forget acme', about: 'after its node has lost it for good' },
  ],
  async run(invocation) {
    const { output } = invocation;
    const [isolate, forget] = [invocation.get('isolate'), invocation.get('forget')];
    if (forget !== undefined)
      await invocation.confirm(`Forget the ledger ${forget}? What its node has lost cannot be put back afterwards.`);
    const view = await askOperator(invocation, 'cluster', { isolate, forget });
    if ('forgotten' in view) {
      const { handle, luid, rows } = view.forgotten;
      output.done(`The ledger ${handle} (${luid}) is forgotten: its row and ${rows} others are deleted.`);
      return output.result(view as unknown as Json, () => luid);
    }
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
    for (const { host, port, isUp, isExamined } of view.nodes)
      if (isUp && !isExamined)
        output.note(
          `The node ${host}:${port} has restarted, and no server has examined it since: what it has lost is unknown.`,
        );
    for (const { handle, luid, node } of view.lost)
      output.note(`Lost by ${node}: all of the ledger ${handle} (${luid}).`);
    if (view.unspread.length > 0)
      output.note(
        `Not distributed: ${view.unspread.join(', ')}. Stop the servers, and run countersign-server --migrate.`,
      );
  },
};
