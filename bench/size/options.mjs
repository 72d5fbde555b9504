import { parseOptions, text, whole } from '../parse-options.mjs';

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
  return parseOptions(args, {
    changes: whole(1_000_000, 1, 1_000_000_000),
    minutes: whole(1_440, 1, 7 * 24 * 60),
    seconds: whole(5, 1, 600),
    rounds: whole(5, 1, 100),
    workers: whole(1, 1, 64),
    data: text(),
    server: text(),
  });
}
