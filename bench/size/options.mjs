import { parseArgs } from 'node:util';
import { whole } from '../whole.mjs';

export const usage = `npm run bench -- size [options]

Measures every shape at a low even rate, loads changes as fast as they are taken, and measures again.

  --changes N       load until there are so many changes (1000000)
  --minutes M       load for so long at most (1440)
  --seconds S       length of one measurement (5)
  --rounds N        measurements of each shape, of which the median is shown (5)
  --workers N       processes of the server (1)
  --data DIR        the data directory of the server, which is left (one in the temporary folder, which is removed)
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
      changes: { type: 'string', default: '1000000' },
      minutes: { type: 'string', default: '1440' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      workers: { type: 'string', default: '1' },
      data: { type: 'string' },
      server: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    changes: whole(values, 'changes', 1, 1_000_000_000),
    minutes: whole(values, 'minutes', 1, 7 * 24 * 60),
    seconds: whole(values, 'seconds', 1, 600),
    rounds: whole(values, 'rounds', 1, 100),
    workers: whole(values, 'workers', 1, 64),
    data: values.data,
    ...(values.server === undefined ? {} : { server: values.server }),
  };
}
