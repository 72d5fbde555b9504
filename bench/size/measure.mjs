import { median } from '../table.mjs';
import { usageOf } from '../usage.mjs';

/**
 * Requests per second of each shape: so few that what else the machine does disturbs little, and enough for a 99th percentile of
 * one round.
 */
const RATES = {
  create: 50,
  update: 50,
  proof: 50,
  transfer: 25,
  read: 100,
  list: 40,
  'filter-few': 40,
  'filter-many': 40,
};

/**
 * Measures each shape in turn, at an even rate, and that so many rounds.
 *
 * @param server its process
 * @param tellOf gives a task to the generator that makes that shape
 * @returns `[{ shape, rate, p50, p99, greatest, server, database }]`: medians of the rounds, in milliseconds; microseconds of
 *   processor time a request
 */
export async function measureShapes(server, tellOf, port, { seconds, rounds }) {
  const found = Object.fromEntries(Object.keys(RATES).map((shape) => [shape, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [shape, rate] of Object.entries(RATES)) {
      const tell = tellOf(shape);
      const count = rate * seconds;
      await tell('prepare', { shape, count });
      const before = usageOf(server);
      const done = await tell('run', { shape, port, connections: 16, checked: true, rate });
      const after = usageOf(server);
      const each = (name) => (before && after ? ((after[name] - before[name]) * 1_000) / count : Number.NaN);
      found[shape].push({ ...done, server: each('server'), database: each('database') });
    }
  }
  return Object.entries(RATES).map(([shape, rate]) => {
    const middle = (name) => median(found[shape].map((round) => round[name]));
    const names = ['p50', 'p99', 'greatest', 'server', 'database'];
    return { shape, rate, ...Object.fromEntries(names.map((name) => [name, middle(name)])) };
  });
}
