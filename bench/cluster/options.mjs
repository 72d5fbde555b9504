import { parseArgs } from 'node:util';
import { whole } from '../whole.mjs';

export const usage = `npm run bench -- cluster [options]

Measures creates, reads, lists and transfers of several ledgers on one PostgreSQL, and on a cluster of Citus of the same release (a
coordinator and two workers on this machine), in turns, with the processor time of each process. It needs an installed PostgreSQL that
has Citus, and starts both itself.

  --seconds S       length of one measurement (4)
  --rounds N        measurements of each shape, of which the median is shown (5)
  --connections N   keep-alive connections at a time (32)
  --ledgers N       ledgers that are worked in, in turns (8)
  --server FILE     the server to measure (packages/server/dist/main.js)
`;

/**
 * The options of a run.
 *
 * @throws Error with what is wrong
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      ledgers: { type: 'string', default: '8' },
      server: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    seconds: whole(values, 'seconds', 1, 600),
    rounds: whole(values, 'rounds', 1, 100),
    connections: whole(values, 'connections', 1, 1_000),
    ledgers: whole(values, 'ledgers', 1, 1_000),
    ...(values.server === undefined ? {} : { server: values.server }),
  };
}
