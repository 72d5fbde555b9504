import { connect } from 'node:net';
import { table } from './table.mjs';

/** The reads of the tenant that is watched: requests per second, connections, and seconds of each measurement. */
const RATE = 100;
const CONNECTIONS = 4;
const SECONDS = 10;

/** Records of each tenant. */
const RECORDS = 2_000;

/** Ledgers of one sender. */
const LEDGERS = 1_000;

/** Milliseconds from the begin of a flood to that of a measurement. */
const WARM = 500;

/** What another tenant sends without a pause, and the connections it has for that. */
const FLOODS = [
  // Before creates: of these not all that are prepared are sent, and it takes wallets that are there.
  { title: 'status proofs, 64 connections', shape: 'proof', connections: 64 },
  { title: 'creates, 64 connections', shape: 'create', connections: 64 },
  { title: 'creates, 256 connections', shape: 'create', connections: 256 },
  { title: 'refused creates, 64 connections', shape: 'create-refused', connections: 64 },
  { title: 'filtered lists, 24 connections', shape: 'filter-many', connections: 24 },
  { title: `creates in ${LEDGERS} ledgers, 64 connections`, shape: 'create-many', connections: 64 },
];

/** Requests that a flood repeats, or sends once, per second of a measurement. */
const PREPARED = 4_000;

/** Readers that take nothing of what they ask for. */
const SLOW_READERS = 100;

/**
 * Measures what one tenant's reads take while another one floods the same server, whose two processes and database share the
 * machine with the load.
 *
 * @param port of the server
 * @param quiet gives the generator of the tenant that is watched a task
 * @param flood gives that of the other one a task
 * @returns lines to print
 */
export async function measureFairness(port, quiet, flood) {
  await quiet('foundOne', { port, ledger: 'bench-quiet' });
  await fill(quiet, port, 'create-quiet');
  await flood('found', { port, only: [] });
  await flood('foundClosed', { port });
  await fill(flood, port, 'create');
  await flood('foundMany', { port, ledgers: LEDGERS });
  const rows = [];
  await watchTenant(quiet, port);
  rows.push(['nobody', ...(await watchTenant(quiet, port)), '']);
  for (const { title, shape, connections } of FLOODS) {
    const { repeated } = await flood('prepare', { shape, count: PREPARED * SECONDS });
    const [{ count, seconds }, watched] = await Promise.all([
      flood('run', { shape, port, connections, seconds: SECONDS + (2 * WARM) / 1_000, once: !repeated }),
      pause(WARM).then(() => watchTenant(quiet, port)),
    ]);
    rows.push([title, ...watched, (count / seconds).toFixed(0)]);
  }
  const readers = await openSlowReaders(port);
  rows.push([`${SLOW_READERS} slow readers`, ...(await watchTenant(quiet, port)), '']);
  for (const socket of readers) socket.destroy();
  rows.push(['nobody, again', ...(await watchTenant(quiet, port)), '']);
  return [
    `reads of one tenant, ${RATE}/s, while another one sends:`,
    table(['', 'p50 ms', 'p99 ms', 'greatest', 'its requests/s'], rows),
  ];
}

async function fill(tell, port, shape) {
  await tell('prepare', { shape, count: RECORDS });
  await tell('run', { shape, port, connections: 16 });
}

/** @returns the median, the 99th percentile and the greatest of what its reads took, in milliseconds */
async function watchTenant(tell, port) {
  await tell('prepare', { shape: 'read-quiet', count: RATE * SECONDS });
  const { p50, p99, greatest } = await tell('run', { shape: 'read-quiet', port, connections: CONNECTIONS, rate: RATE });
  return [p50, p99, greatest].map((one) => one.toFixed(1));
}

/** Connections that ask for long pages again and again, and read none. */
function openSlowReaders(port) {
  const request = 'GET /v2/wallets?page.limit=1000 HTTP/1.1\r\nhost: 127.0.0.1\r\nx-ledger: bench\r\n\r\n';
  return Promise.all(
    Array.from({ length: SLOW_READERS }, async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.pause();
      socket.write(request.repeat(10));
      return socket;
    }),
  );
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
