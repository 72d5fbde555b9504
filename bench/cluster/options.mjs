import { parseOptions, text, whole } from '../parse-options.mjs';

export const usage = `npm run bench -- cluster [options]

Measures creates, reads, lists and transfers of several ledgers on one PostgreSQL, and on a cluster of Citus of the same release (a
coordinator and two workers on this machine), in turns, with the processor time of each process. It needs an installed PostgreSQL that
has Citus, and starts both itself.

  --seconds S       length of one measurement (4)
  --rounds N        measurements of each shape, of which the median is shown (5)
  --connections N   keep-alive connections at a time (32)
  --ledgers N       ledgers that are worked in, in turns (8)
  --server FILE     the server to measure (packages/server/dist/main.js)
  --calls N         instead, measure calls of the functions that store, N of each in each round, without a server
`;

/**
 * The options of a run.
 *
 * @throws Error with what is wrong
 */
export function readOptions(args) {
  return parseOptions(args, {
    seconds: whole(4, 1, 600),
    rounds: whole(5, 1, 100),
    connections: whole(32, 1, 1_000),
    ledgers: whole(8, 1, 1_000),
    server: text(),
    calls: whole(undefined, 1, 10_000),
  });
}
