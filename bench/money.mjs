import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { hash as hashOf, readJson, verifyProof } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { connectToDatabase } from './conditions.mjs';
import { assertInvariants } from './invariants.mjs';
import { median, table } from './table.mjs';
import { usageOf } from './usage.mjs';

/** Transfers that warm up each process: the ceiling, and each worker of a server. Their rate sizes the next measurement. */
const WARM = 5_000;

/** Transfers per second, and seconds, for the time from acceptance to the final version. */
const RATE = 300;
const SECONDS = 10;

/** Intents of the small ledger that a large one is compared with, and how many a large one is given at a time. */
const SMALL = 10_000;
const STRETCH = 10_000;

/** Milliseconds after which what was accepted must be settled. */
const PATIENCE = 60_000;

/** Proofs of a transfer that is completed, and versions. */
const PROOFS = 12;
const VERSIONS = 8;

const USED = `select pg_total_relation_size('change')::float8 as change, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`;

/**
 * Measures settling. Each round takes the ceiling, then transfers that are spread over all wallets, transfers that all
 * touch one, and the spread ones on a server of two workers. A transfer counts when it is completed.
 */
export class MoneyMeasure {
  #tell;
  #servers;
  #ceiling;
  #options;
  #databases = new Map();
  #sent = new Map();
  #rates = {};

  /**
   * @param tell gives the load generator a task
   * @param servers `{ port, folder, child }` of each: with one worker, with two, and one to compare sizes with, if asked
   * @param ceiling `{ port, child }`
   */
  constructor(tell, servers, ceiling, options) {
    this.#tell = tell;
    this.#servers = servers;
    this.#ceiling = ceiling;
    this.#options = options;
  }

  /** @returns lines to print */
  async all() {
    const [one, two, small] = this.#servers;
    for (const server of this.#servers) {
      const database = await connectToDatabase(server.folder);
      // A server that stops takes its database along; what stopped it is told elsewhere.
      database.on('error', () => {});
      this.#databases.set(server, database);
      await this.#tell('foundMoney', { port: server.port });
      this.#sent.set(server, 0);
    }
    await this.#bare(WARM, 1);
    const kinds = { spread: [one, 'transfer'], hot: [one, 'transfer-hot'], 'two workers': [two, 'transfer'] };
    for (const [name, [server, shape]] of Object.entries(kinds)) {
      const count = server === two ? 2 * WARM : WARM;
      this.#rates[name] = (await this.#settle(server, shape, count)).perSecond;
    }
    const rounds = [];
    for (let round = 0; round < this.#options.rounds; round += 1) rounds.push(await this.#round(kinds));
    const steady = await this.#settle(one, 'transfer', RATE * SECONDS, RATE);
    const sizes = small === undefined ? [] : await this.#sizes(small, one);
    for (const server of this.#servers) await this.#verify(server);
    for (const database of this.#databases.values()) await database.end();
    return [...report(rounds, steady), ...sizes];
  }

  /**
   * Compares what a transfer costs where there are few intents and where there are many: the same rounds in turns, each
   * server with one worker.
   *
   * @returns lines to print
   */
  async #sizes(small, large) {
    const { grow, rounds, seconds } = this.#options;
    await this.#fill(small, SMALL);
    await this.#fill(large, grow);
    const count = Math.ceil(this.#rates.spread * seconds);
    const costs = [];
    for (let round = 0; round <= rounds; round += 1) {
      const few = await this.#settle(small, 'transfer', count);
      const many = await this.#settle(large, 'transfer', count);
      // The first round warms up both.
      if (round > 0) costs.push({ few, many });
    }
    return sizeReport(costs, [SMALL, grow]);
  }

  /** Sends transfers until a server has `target` intents. */
  async #fill(server, target) {
    while (this.#sent.get(server) < target) {
      const count = Math.min(STRETCH, target - this.#sent.get(server));
      await this.#settle(server, 'transfer', count);
    }
  }

  async #round(kinds) {
    const { seconds } = this.#options;
    const figures = {};
    for (const [name, [server, shape]] of Object.entries(kinds)) {
      const count = Math.ceil(this.#rates[name] * seconds);
      const bare = await this.#bare(count, seconds);
      const settled = await this.#settle(server, shape, count);
      this.#rates[name] = settled.perSecond;
      figures[name] = { ...settled, ceiling: bare.perSecond, cpuCeiling: bare.cpu };
    }
    return figures;
  }

  async #bare(count, seconds) {
    const { port, child } = this.#ceiling;
    await this.#tell('prepare', { shape: 'transfer', count });
    const before = usageOf(child);
    const done = await this.#tell('run', { shape: 'transfer', port, connections: this.#options.connections, seconds });
    return { perSecond: done.count / done.seconds, cpu: costOf(before, usageOf(child), done.count).server };
  }

  /** Sends transfers, and waits until all are final. */
  async #settle({ ...server }, shape, count, rate) {
    const found = this.#servers.find(({ port }) => port === server.port);
    const database = this.#databases.get(found);
    const { connections } = this.#options;
    await this.#tell('prepare', { shape, count });
    const [used] = (await database.query(USED)).rows;
    const before = usageOf(found.child);
    const began = performance.now();
    const done = await this.#tell('run', { shape, port: found.port, connections, checked: true, rate });
    const waited = await this.#untilSettled(database);
    // What the generator needs to begin and to sort is not the server's.
    const seconds = done.seconds + (waited ? performance.now() - began - done.seconds * 1_000 : 0) / 1_000;
    const cost = costOf(before, usageOf(found.child), count);
    const [after] = (await database.query(USED)).rows;
    this.#sent.set(found, this.#sent.get(found) + count);
    return {
      perSecond: count / seconds,
      p50: done.p50,
      p99: done.p99,
      ...cost,
      change: (after.change - used.change) / count,
      wal: (after.wal - used.wal) / count,
    };
  }

  /** @returns whether anything was left to settle once all was answered */
  async #untilSettled(database) {
    const until = performance.now() + PATIENCE;
    for (let waited = false; ; waited = true) {
      const { rows } = await database.query('select count(*)::int as open from open_intent');
      if (rows[0].open === 0) return waited;
      if (performance.now() > until) throw new Error(`${rows[0].open} transfers are not settled`);
      await pause(5);
    }
  }

  /** Sees that all is settled as it should be: by SQL, and a sample as a client reads it. */
  async #verify(server) {
    const database = this.#databases.get(server);
    await assertInvariants(database, this.#sent.get(server));
    const { rows } = await database.query(
      `select handle from record where kind = 'intent' and handle like 't-%' order by hash limit 50`,
    );
    for (const { handle } of rows) await verifyOne(server.port, handle);
  }
}

async function verifyOne(port, handle) {
  const headers = { 'x-ledger': 'bench-money' };
  const read = async (path) =>
    readJson(await (await fetch(`http://127.0.0.1:${port}/v2/intents/${handle}${path}`, { headers })).text());
  const { hash, data, meta } = await read('');
  assert.equal(hashOf(data, native), hash);
  assert.equal(meta.status, 'completed');
  assert.equal(meta.proofs.length, PROOFS);
  for (const proof of meta.proofs) assert.ok(verifyProof(hash, proof, native), 'a proof does not verify');
  assert.equal((await read('/changes')).page?.total ?? VERSIONS, VERSIONS);
}

/** Microseconds of processor time of each transfer. */
function costOf(before, after, count) {
  if (before === undefined || after === undefined) return {};
  const each = (name) => ((after[name] - before[name]) * 1_000) / count;
  return { server: each('server'), main: each('main'), database: each('database') };
}

/** Processor time of server and database over that of the ceiling. */
function workOf({ server, database, cpuCeiling }) {
  return (server + database) / cpuCeiling;
}

function sizeReport(costs, [few, many]) {
  const each = ({ server, database }) => server + database;
  const middle = (of) => median(costs.map(of));
  return [
    `processor time of a transfer, server and database: ${middle(({ few }) => each(few)).toFixed(0)} µs at ${few} ` +
      `intents, ${middle(({ many }) => each(many)).toFixed(0)} µs at ${many}: ` +
      `${middle(({ few, many }) => each(many) / each(few)).toFixed(2)} times`,
    `of that the database: ${middle(({ few }) => few.database).toFixed(0)} µs and ` +
      `${middle(({ many }) => many.database).toFixed(0)} µs`,
  ];
}

function report(rounds, steady) {
  const names = Object.keys(rounds[0]);
  const middle = (of) => median(rounds.map(of).filter((figure) => figure !== undefined)) ?? Number.NaN;
  const rows = names.map((name) => [
    name,
    middle((round) => workOf(round[name])).toFixed(2),
    ...['perSecond', 'p50', 'p99', 'ceiling'].map((figure) => middle((round) => round[name][figure]).toFixed(0)),
    middle((round) => round[name].perSecond / round[name].ceiling).toFixed(2),
    ['server', 'main', 'database', 'cpuCeiling']
      .map((figure) => middle((round) => round[name][figure]).toFixed(0))
      .join(' / '),
    ...['change', 'wal'].map((figure) => (middle((round) => round[name][figure]) / 1_000).toFixed(1)),
  ]);
  const ratio = (name) => middle((round) => round[name].perSecond / round.spread.perSecond).toFixed(2);
  return [
    table(
      [
        'transfers',
        'work',
        'settled/s',
        'p50 ms',
        'p99 ms',
        'ceiling/s',
        'ratio',
        'µs server / its main thread / database / ceiling',
        'change KB',
        'WAL KB',
      ],
      rows,
    ),
    '',
    `hot wallet: ${ratio('hot')} of spread; two workers: ${ratio('two workers')} of one`,
    `accept to final stored at ${RATE}/s, one worker: p50 ${steady.p50.toFixed(0)} ms, p99 ${steady.p99.toFixed(0)} ms`,
  ];
}
