import { parseArgs } from 'node:util';
import { shapes } from './shapes.mjs';
import { whole } from './whole.mjs';

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
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '1.5' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      only: { type: 'string' },
      grow: { type: 'string' },
      profile: { type: 'string' },
      server: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',') ?? [...Object.keys(shapes), ...APART];
  const unknown = only.find((name) => !APART.includes(name) && !Object.hasOwn(shapes, name));
  if (unknown !== undefined) throw new Error(`there is no shape '${unknown}'`);
  return {
    help: values.help,
    seconds: number(values, 'seconds', 0.1, 600),
    rounds: whole(values, 'rounds', 1, 100),
    connections: whole(values, 'connections', 1, 1_000),
    only: only.filter((name) => !APART.includes(name)),
    ...Object.fromEntries(APART.map((name) => [name, only.includes(name)])),
    ...(values.grow === undefined ? {} : { grow: whole(values, 'grow', 1, 100_000_000) }),
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    ...(values.server === undefined ? {} : { server: values.server }),
  };
}

function number(values, name, least, greatest) {
  const value = Number(values[name]);
  if (!(value >= least && value <= greatest)) throw new Error(`--${name} must be from ${least} to ${greatest}`);
  return value;
}
