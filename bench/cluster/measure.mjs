import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../table.mjs';
import { usageOf } from '../usage.mjs';
import { timeOf } from './nodes.mjs';

export const SHAPES = ['create-many', 'read-many', 'list-many', 'transfer-many'];

/** Requests of each shape that warm both up, and what is prepared of one that is repeated. */
const WARM = 1_000;
const REPEATED = 5_000;

/** Milliseconds after the last answer for which processor time still counts: what was stored is sealed by then. */
const SEALING = 1_000;

/** More requests are prepared than the last measurement has sent, in case this one is quicker. */
const SPARE = 1.5;

/**
 * Measures each shape on each side in turn, for `seconds`, in `rounds` rounds.
 *
 * @param sides `[{ port, tell, server, nodes }]`
 * @returns by shape, by side: `{ perSecond, p50, p99, server, nodes }`, medians of the rounds; milliseconds, and microseconds of processor time
 *   a request
 */
export async function measureSides(sides, { seconds, rounds, connections }) {
  const rates = new Map();
  for (const shape of SHAPES)
    for (const side of sides) {
      await side.tell('prepare', { shape, count: WARM });
      const { count, seconds: took } = await side.tell('run', { shape, port: side.port, connections, checked: true });
      rates.set(`${shape} ${side.name}`, count / took);
    }
  const found = Object.fromEntries(SHAPES.map((shape) => [shape, sides.map(() => [])]));
  for (let round = 0; round < rounds; round += 1)
    for (const shape of SHAPES)
      for (const [at, side] of sides.entries()) {
        const key = `${shape} ${side.name}`;
        const one = await measureOne(side, shape, { seconds, connections, rate: rates.get(key) });
        rates.set(key, one.perSecond);
        found[shape][at].push(one);
      }
  return Object.fromEntries(SHAPES.map((shape) => [shape, found[shape].map(medians)]));
}

async function measureOne({ port, tell, server, nodes }, shape, { seconds, connections, rate }) {
  const most = Math.ceil(rate * seconds * SPARE);
  const { repeated } = await tell('prepare', {
    shape,
    count: shape.startsWith('read') || shape.startsWith('list') ? REPEATED : most,
  });
  const times = () => ({ server: usageOf(server)?.server, nodes: nodes.map(timeOf) });
  const before = times();
  const done = await tell('run', { shape, port, connections, checked: true, seconds, once: !repeated });
  await pause(SEALING);
  const after = times();
  const each = (now, then) => ((now - then) * 1_000) / done.count;
  return {
    perSecond: done.count / done.seconds,
    p50: done.p50,
    p99: done.p99,
    server: each(after.server, before.server),
    nodes: nodes.map((_, at) => each(after.nodes[at], before.nodes[at])),
  };
}

function medians(rounds) {
  const middle = (of) => median(rounds.map(of));
  return {
    perSecond: middle((one) => one.perSecond),
    p50: middle((one) => one.p50),
    p99: middle((one) => one.p99),
    server: middle((one) => one.server),
    nodes: rounds[0].nodes.map((_, at) => middle((one) => one.nodes[at])),
  };
}
