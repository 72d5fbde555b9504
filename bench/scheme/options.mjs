import { parseOptions, text, whole } from '../parse-options.mjs';

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
  const { rate, minutes, ...others } = parseOptions(args, {
    rate: text(FIRST),
    minutes: whole(1, 1, 24 * 60),
    workers: whole(1, 1, 64),
    out: text('bench-scheme'),
    data: text(),
    server: text(),
  });
  return {
    ...others,
    first: FIRST,
    rate: rate === 'find' ? undefined : whole(FIRST, 1, 100_000).read('rate', rate),
    seconds: minutes * 60,
  };
}
