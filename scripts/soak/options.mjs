import { parseArgs } from 'node:util';
import { whole } from '../../bench/whole.mjs';

/**
 * The options of a soak of deliveries.
 *
 * @throws Error with what is wrong
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '20000' },
      workers: { type: 'string', default: '2' },
      /** How often the server is killed. */
      kills: { type: 'string', default: '3' },
    },
  });
  return {
    events: whole(values, 'events', 1, 100_000_000),
    workers: whole(values, 'workers', 1, 64),
    kills: whole(values, 'kills', 0, 1_000),
  };
}
