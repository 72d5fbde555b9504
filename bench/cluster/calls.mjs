import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { storeSettlement, storeTogether } from '../../packages/server/dist/store/committer/batch.js';
import { migrate } from '../../packages/server/dist/store/migrate.js';
import { createPool } from '../../packages/server/dist/store/pool.js';
import { median, table } from '../table.mjs';
import { findNodes, timeOf } from './nodes.mjs';
import { createOf, settlementsOf } from './writes.mjs';

/** What is called, with how many writes or transfers. */
const CALLS = [
  ['store_batch, 1 create', storeCreates, 1],
  ['store_batch, 20 creates', storeCreates, 20],
  ['settle_batch, 1 transfer', settle, 1],
  ['settle_batch, 32 transfers', settle, 32],
];

/** Calls before any is measured: PostgreSQL keeps plans after five. */
const WARM = 10;

const WALLETS = 10;

/** Where a call is sent. The first is what the others are compared with. */
const PLACES = ['one PostgreSQL', 'by the coordinator', 'on the node of the ledger'];

/**
 * Measures calls of the functions that store, one at a time, without a server: on one PostgreSQL and on a cluster, in turns.
 *
 * @returns lines to print
 */
export async function measureCalls(plainUrl, clusterUrl, { calls, rounds }) {
  const places = [];
  try {
    for (const url of [plainUrl, clusterUrl]) await prepare(url);
    places.push(await openPlace(PLACES[0], plainUrl));
    places.push(await openPlace(PLACES[1], clusterUrl));
    places.push(await openPlace(PLACES[2], clusterUrl, true));
    const found = new Map();
    for (let round = -1; round < rounds; round += 1)
      for (const [name, call, size] of CALLS)
        for (const isPrepared of [true, false])
          for (const place of places) {
            const key = `${name} ${isPrepared} ${place.name}`;
            const one = await measureOne(place, { call, size, isPrepared }, round < 0 ? WARM : calls);
            if (round >= 0) found.set(key, [...(found.get(key) ?? []), one]);
          }
    return report(found);
  } finally {
    for (const { client } of places) await client.end();
  }
}

async function prepare(url) {
  const pool = createPool({ connectionString: url, max: 1 }, () => {});
  await migrate(pool);
  await pool.end();
}

/** A connection, a ledger, and its wallets. */
async function openPlace(name, url, isOnNode = false) {
  const nodes = await findNodes(url);
  const first = await connect(url);
  const handle = `bench-${randomUUID()}`;
  const { rows } = await first.query(
    `insert into ledger (handle, luid, owners) values ($1, $1, '{}') returning id::int as id`,
    [handle],
  );
  const ledger = rows[0].id;
  const client = isOnNode ? await connectToNode(first, url, ledger) : first;
  if (client !== first) await first.end();
  const holder = 'bench';
  await client.query(
    'insert into home (ledger_id, holder, until, moment) values ($1, $2, clock_timestamp(), clock_timestamp())',
    [ledger, holder],
  );
  const wallets = Array.from({ length: WALLETS }, () => createOf(ledger, 'wallet'));
  assertDone(await storeTogether(client, wallets));
  const next = settlementsOf(
    ledger,
    holder,
    wallets.map(({ luid }) => luid),
  );
  return { name, nodes, client, ledger, next };
}

async function connectToNode(first, url, ledger) {
  const { rows } = await first.query(
    `select n.nodename as host, n.nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
     where p.shardid = get_shard_id_for_distribution_column('public.change'::regclass, $1::bigint)`,
    [ledger],
  );
  const [{ host, port }] = rows;
  return connect(Object.assign(new URL(url), { hostname: host, port }).href);
}

async function connect(url) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `select set_config('search_path', 'cluster, public', false) from pg_extension where extname = 'citus'`,
  );
  return client;
}

async function measureOne(place, { call, size, isPrepared }, count) {
  // The functions' calls are named, and so prepared.
  const runner = isPrepared ? place.client : { query: ({ name: _, ...unnamed }) => place.client.query(unnamed) };
  const times = [];
  const before = place.nodes.map(timeOf);
  for (let at = 0; at < count; at += 1) times.push(await call(runner, place, size));
  const spent = place.nodes.map((node, at) => timeOf(node) - before[at]);
  return { elapsed: median(times), processor: spent.reduce((sum, one) => sum + one, 0) / count };
}

async function storeCreates(runner, { ledger }, size) {
  const writes = Array.from({ length: size }, () => createOf(ledger, 'wallet'));
  const began = performance.now();
  const outcomes = await storeTogether(runner, writes);
  const took = performance.now() - began;
  assertDone(outcomes);
  return took;
}

async function settle(runner, { next }, size) {
  const settlement = next(size);
  const began = performance.now();
  const { isStored, outcomes } = await storeSettlement(runner, settlement);
  const took = performance.now() - began;
  if (!isStored) throw new Error(`a settlement was not stored: ${JSON.stringify(outcomes)}`);
  return took;
}

function assertDone(outcomes) {
  const other = outcomes.find(({ result }) => result !== 'done');
  if (other) throw new Error(`a write was not stored: ${other.result}`);
}

/** Medians of the rounds for elapsed time; processor time, which is counted in steps of 10 ms, on average of all. */
function report(found) {
  const figure = (key) => {
    const all = found.get(key);
    return {
      elapsed: median(all.map(({ elapsed }) => elapsed)),
      processor: all.reduce((sum, { processor }) => sum + processor, 0) / all.length,
    };
  };
  const rows = CALLS.flatMap(([name]) =>
    [true, false].map((isPrepared) => {
      const of = PLACES.map((place) => figure(`${name} ${isPrepared} ${place}`));
      const cell = ({ elapsed, processor }) => `${elapsed.toFixed(2)}, ${processor.toFixed(2)}`;
      const times = (one) =>
        `${(one.elapsed / of[0].elapsed).toFixed(2)}, ${(one.processor / of[0].processor).toFixed(2)}`;
      return [
        `${name}${isPrepared ? ', prepared' : ''}`,
        cell(of[0]),
        ...of.slice(1).flatMap((one) => [cell(one), times(one)]),
      ];
    }),
  );
  return table(
    ['elapsed, processor ms a call', PLACES[0], ...PLACES.slice(1).flatMap((place) => [place, 'times'])],
    rows,
  );
}
