import { number, parseOptions, text, whole } from './parse-options.mjs';
import { shapes } from './shapes.mjs';

/** Are measured in ways of their own (deliveries.mjs, money.mjs, log.mjs, fairness.mjs). */
const APART = ['deliveries', 'money', 'log', 'fairness'];

export const usage = `npm run bench -- [options]
npm run bench -- scheme --help   transfers of a scheme of banks at an even rate, with a report
npm run bench -- size --help     every shape before and after many changes were loaded
npm run bench -- cluster --help  one PostgreSQL and a cluster of Citus side by side

  --seconds S       length of one measurement (1.5)
  --rounds N        measurements of each shape, of which the median is shown (3)
  --connections N   keep-alive connections at a time (64)
  --only A,B        some shapes only: ${[...Object.keys(shapes), ...APART].join(', ')}
  --grow N          measure, load N more records, measure again: cost against size; of transfers, until there are N
  --profile DIR     write a CPU profile of the server into DIR
  --server FILE     the server to measure (packages/server/dist/main.js)
`;

/**
 * The options of a run.
 *
 * @throws Error with what is wrong
 */
export function readOptions(args) {
  const { only: names, ...others } = parseOptions(args, {
    seconds: number(1.5, 0.1, 600),
    rounds: whole(3, 1, 100),
    connections: whole(64, 1, 1_000),
    only: text([...Object.keys(shapes), ...APART]),
    grow: whole(undefined, 1, 100_000_000),
    profile: text(),
    server: text(),
  });
  const only = names.split(',');
  const unknown = only.find((name) => !APART.includes(name) && !Object.hasOwn(shapes, name));
  if (unknown !== undefined) throw new Error(`there is no shape '${unknown}'`);
  return {
    ...others,
    only: only.filter((name) => !APART.includes(name)),
    ...Object.fromEntries(APART.map((name) => [name, only.includes(name)])),
  };
}
