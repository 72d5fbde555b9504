import { parseArgs } from 'node:util';
import { whole } from '../whole.mjs';

/** Transfers per second at which the search for the highest rate begins. */
const FIRST = 100;

export const usage = `npm run bench -- scheme [options]

  --rate N|find     transfers a second, or the highest rate that holds the bar (${FIRST} and up)
  --minutes M       length of the run (1); of a search, of the run at the rate that was found
  --workers N       processes of the server (1)
  --out DIR         where report.md and report.svg are written (bench-scheme)
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
      rate: { type: 'string', default: String(FIRST) },
      minutes: { type: 'string', default: '1' },
      workers: { type: 'string', default: '1' },
      out: { type: 'string', default: 'bench-scheme' },
      data: { type: 'string' },
      server: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    first: FIRST,
    rate: values.rate === 'find' ? undefined : whole(values, 'rate', 1, 100_000),
    seconds: whole(values, 'minutes', 1, 24 * 60) * 60,
    workers: whole(values, 'workers', 1, 64),
    out: values.out,
    data: values.data,
    ...(values.server === undefined ? {} : { server: values.server }),
  };
}
