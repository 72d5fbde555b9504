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
 * Measures deliveries: of a backlog that formed while the receiver stood still, how many per second; and at an even rate,
 * how long from the change to the receipt, beside how long the creates themselves took.
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
  const count = RATE * SECONDS;
  const creates = await run(count, { rate: RATE });
  const { waits, again: late } = await drained(ports.receiver, count);
  const receipts = quantilesOf(waits.map(({ received }) => received));
  const untilClaim = quantilesOf(waits.map(({ claimed }) => claimed));
  const afterClaim = quantilesOf(waits.map(({ claimed, received }) => received - claimed));
  return [
    `deliveries: ${median(rates).toFixed(0)}/s of a backlog of ${BACKLOG}, one effect, all proofs stored; ${again + late} came again`,
    `at ${RATE}/s: creates p50 ${creates.p50.toFixed(0)} ms, p99 ${creates.p99.toFixed(0)} ms`,
    `at ${RATE}/s: change to receipt ${told(receipts)}, ${(receipts.p99 / creates.p99).toFixed(1)} times the creates'`,
    `  of this until it is claimed ${told(untilClaim)}, from then on ${told(afterClaim)}`,
  ];
}

const told = ({ p50, p99 }) => `p50 ${p50} ms, p99 ${p99} ms`;

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
