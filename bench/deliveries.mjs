import { setTimeout as pause } from 'node:timers/promises';
import { readJson } from '@countersign/protocol';
import { median } from './table.mjs';

/** Events that wait when their delivery is measured. */
const BACKLOG = 10_000;

/** Events per second, and seconds, for the time from change to receipt. */
const RATE = 200;
const SECONDS = 5;

/** Seconds after which something is wrong. */
const PATIENCE = 120;

/**
 * Measures deliveries: at an even rate, how long from the change to the receipt, beside how long the creates themselves took; then of
 * a backlog that formed while the receiver stood still, how many per second.
 *
 * Events of the backlog that come again are counted apart: the receiver stands still for as long as the creates take, and attempts
 * that it has not answered within 15 seconds are made again. It still reads the first ones once it goes on.
 *
 * @param tell gives the load generator a task
 * @param ports `{ ledger, receiver }`
 * @param receiver its process
 * @returns lines to print
 */
export async function measureDeliveries(tell, ports, receiver, { rounds, connections }) {
  const run = async (count, options = {}) => {
    await tell('prepare', { shape: 'create-effect', count });
    return tell('run', { shape: 'create-effect', port: ports.ledger, connections, ...options });
  };
  await run(500);
  await drained(ports.receiver, 500);
  // Before the backlog, whose rows PostgreSQL vacuums afterwards.
  const evenly = [];
  for (let round = 0; round < rounds; round += 1) evenly.push(await measureEvenly(run, ports));
  const rates = [];
  let again = 0;
  for (let round = 0; round < rounds; round += 1) {
    receiver.kill('SIGSTOP');
    await run(BACKLOG);
    const began = Date.now();
    receiver.kill('SIGCONT');
    const { last, ...more } = await drained(ports.receiver, BACKLOG);
    again += more.again;
    rates.push((BACKLOG * 1_000) / (last - began));
  }
  const of = (name) => told(mediansOf(evenly.map((round) => round[name])));
  const ratio = median(evenly.map(({ receipts, creates }) => receipts.p99 / creates.p99));
  return [
    `deliveries: ${median(rates).toFixed(0)}/s of a backlog of ${BACKLOG}, one effect, all proofs stored; ${again} came again`,
    `at ${RATE}/s: creates ${of('creates')}`,
    `at ${RATE}/s: change to receipt ${of('receipts')}, ${ratio.toFixed(1)} times the creates' p99`,
    `  of this until it is claimed ${of('untilClaim')}, from then on ${of('afterClaim')}`,
  ];
}

/** Creates at an even rate, and what follows from them. @returns percentiles in ms */
async function measureEvenly(run, ports) {
  const count = RATE * SECONDS;
  const { p50, p99 } = await run(count, { rate: RATE });
  const { waits } = await drained(ports.receiver, count);
  return {
    creates: { p50, p99 },
    receipts: quantilesOf(waits.map(({ received }) => received)),
    untilClaim: quantilesOf(waits.map(({ claimed }) => claimed)),
    afterClaim: quantilesOf(waits.map(({ claimed, received }) => received - claimed)),
  };
}

const told = ({ p50, p99 }) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;

const mediansOf = (rounds) => ({
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
});

function quantilesOf(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99) };
}

/** Waits until so many events have come. @returns what the receiver tells of them */
async function drained(port, count) {
  const found = { waits: [], again: 0, last: 0 };
  for (let tries = 0; tries < PATIENCE * 10; tries += 1) {
    const { waits, again, last } = readJson(await (await fetch(`http://127.0.0.1:${port}/`)).text());
    found.waits.push(...waits);
    found.again += again;
    found.last = last;
    if (found.waits.length >= count) return found;
    await pause(100);
  }
  throw new Error(`${found.waits.length} of ${count} events came within ${PATIENCE} s`);
}
