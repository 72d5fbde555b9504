import { parseOptions, whole } from '../../bench/parse-options.mjs';

export const usage = `npm run soak:server -- [options]

Delivers events to receivers of which one refuses and one is killed, while the server is killed; then checks that none is lost.

  --events N        events (20000)
  --workers N       processes of the server (2)
  --kills N         how often the server is killed (3)
  --refusals N      how often one event is refused at most (1000)
`;

/**
 * The options of a soak of deliveries.
 *
 * @throws Error with what is wrong
 */
export function readOptions(args) {
  return parseOptions(args, {
    events: whole(20_000, 1, 100_000_000),
    workers: whole(2, 1, 64),
    kills: whole(3, 0, 1_000),
    refusals: whole(1_000, 0, 1_000),
  });
}
