import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeBase64 } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { createLogCodes } from '../packages/server/dist/integrity/log-leaves.js';
import { readKeyring } from '../packages/server/dist/store/deployment/master-keys.js';
import { connectToDatabase } from './conditions.mjs';
import { Connection } from './connection.mjs';
import { Founder } from './founder.mjs';
import { request } from './request.mjs';
import { measureVerifier } from './verifying.mjs';

/** Ledgers that are active at once, requests per second to all of them, and for how many seconds. */
const LEDGERS = 300;
const RATE = 300;
const SECONDS = 10;

/** Leaves of the log that proofs are taken from, and wallets among them whose proofs are asked for. */
const LEAVES = 1_000_000;
const WALLETS = 400;
const PROOFS = 2_000;

/** Leaves that one queued row adds. */
const FILLED = 500;

/** How often the database is asked what is sealed, in milliseconds, and how long that may take in all. */
const LOOK = 20;
const PATIENCE = 120_000;

/** Leaves that no change has, for a log of many: they cost what others cost, from the queue on. */
const FILL =
  'insert into unsealed (ledger_id, luids, changes, leaves) select $1, array[l], array[$2::int], array[t] from unnest($3::text[], $4::text[]) as x (l, t)';

/** Rows of such leaves, with the codes that the sealer asks for. */
function fillers(codes, ledger, block, rows) {
  const luids = Array.from({ length: rows }, (_, row) => `$wlt.filler${block}-${row}`);
  const leaves = luids.map((luid) =>
    codes.codeLeaves(ledger, { luid, change: FILLED }, randomBytes(48 * FILLED).toString('base64')),
  );
  return [ledger, FILLED, luids, leaves];
}

/**
 * Measures the log: from the answer to a change to the seal, at full speed and with many ledgers; proofs of inclusion in a
 * large log; bytes that a change takes; how fast an export is verified, and in how much memory.
 *
 * @param tell gives the load generator a task
 * @param server `{ port, folder }`
 * @returns lines to print
 */
export async function measureLog(tell, { port, folder }, { connections, seconds }) {
  const database = await connectToDatabase(folder);
  // A server that stops takes its database along; what stopped it is told elsewhere.
  database.on('error', () => {});
  try {
    const lines = [await full(tell, database, { port, connections, seconds })];
    // Before others come: leaves that are queued many to a row take a third of that.
    lines.push(await storage(database));
    lines.push(await measureVerifier(tell, { port, folder }, { connections }));
    lines.push(await many(tell, database, { port, connections }));
    lines.push(await proofs(database, port, folder));
    return lines;
  } finally {
    await database.end();
  }
}

/** As many creates as the server takes. */
async function full(tell, database, { port, connections, seconds }) {
  await tell('prepare', { shape: 'create', count: 500 });
  const { count, seconds: took } = await tell('run', { shape: 'create', port, connections });
  const all = Math.ceil((count / took) * Math.max(seconds, 5));
  await tell('prepare', { shape: 'create', count: all });
  const watched = watch(database);
  const done = await tell('run', { shape: 'create', port, connections });
  const lags = await watched.stop();
  return `stored to sealed at full speed, ${Math.round(done.count / done.seconds)}/s: ${percentiles(lags)}`;
}

/** An even rate, over many ledgers in turns. */
async function many(tell, database, { port, connections }) {
  await tell('foundMany', { port, ledgers: LEDGERS });
  await tell('prepare', { shape: 'create-many', count: RATE * SECONDS });
  const watched = watch(database);
  await tell('run', { shape: 'create-many', port, connections, rate: RATE });
  const lags = await watched.stop();
  return `stored to sealed with ${LEDGERS} ledgers, ${RATE}/s in all: ${percentiles(lags)}`;
}

/**
 * Sees how long each queued row waits: by when it was first seen gone. What a look takes, and the time between two, counts.
 */
function watch(database) {
  const waiting = new Map();
  const lags = [];
  let isOver = false;
  const look = async () => {
    const { rows } = await database.query(
      `select ledger_id || '/' || id as row, extract(epoch from moment)::float8 * 1000 as since from unsealed`,
    );
    const { rows: clock } = await database.query('select extract(epoch from clock_timestamp())::float8 * 1000 as now');
    const found = new Set(rows.map(({ row }) => row));
    for (const { row, since } of rows) waiting.set(row, since);
    for (const [row, since] of waiting) {
      if (found.has(row)) continue;
      lags.push(clock[0].now - since);
      waiting.delete(row);
    }
    return rows.length;
  };
  const ended = (async () => {
    const until = performance.now() + PATIENCE;
    for (;;) {
      const left = await look();
      if (isOver && left === 0) return;
      if (performance.now() > until) throw new Error(`${left} rows are not sealed`);
      await pause(LOOK);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await ended;
      return lags.sort((one, other) => one - other);
    },
  };
}

/** Proofs of changes in a log of a million leaves, one after the other. */
async function proofs(database, port, folder) {
  const masterKey = Buffer.from(readFileSync(join(folder, 'master.key'), 'utf8'), 'base64');
  const codes = createLogCodes((await readKeyring(database, [masterKey], folder)).codes);
  const secret = randomBytes(32);
  const key = { secret, public: encodeBase64(native.publicKey(secret)) };
  const ledger = 'bench-log';
  const founder = new Founder(port, ledger, key);
  await founder.found();
  const { rows } = await database.query('select id from ledger where handle = $1', [ledger]);
  for (let made = 0; made < WALLETS; made += 1) {
    await founder.create('/wallets', { handle: `w-${made}` });
    if (made % 4 === 0) {
      const filler = Math.ceil(LEAVES / (WALLETS / 4) / FILLED);
      await database.query(FILL, fillers(codes, Number(rows[0].id), made, filler));
    }
  }
  const began = performance.now();
  for (let left = 1; left > 0; await pause(LOOK)) {
    left = (await database.query('select count(*)::int as left from unsealed')).rows[0].left;
    if (performance.now() - began > PATIENCE) throw new Error(`${left} rows are not sealed`);
  }
  const connection = await Connection.open(port);
  const times = [];
  for (let at = 0; at < PROOFS; at += 1) {
    const path = `/wallets/w-${(at * 617) % WALLETS}/changes/1/inclusion`;
    const sent = performance.now();
    await new Promise((resolve, reject) => {
      const done = (status) => (status === 200 ? resolve() : reject(new Error(`answer ${status} to ${path}`)));
      connection.send(request('GET', path, { ledger }), false, done, reject);
    });
    times.push(performance.now() - sent);
  }
  const { rows: logs } = await database.query('select size::int as size from log where ledger_id = $1', [rows[0].id]);
  return `proof of inclusion among ${logs[0].size} leaves: ${percentiles(times.sort((one, other) => one - other))}`;
}

/** What lasts of leaves, with its indexes; the queue is emptied, and a log itself has one row. */
async function storage(database) {
  const { rows } = await database.query(`select sum(size)::int as leaves,
    (pg_total_relation_size('log_leaf') + pg_total_relation_size('log_tile'))::float8 / greatest(sum(size), 1) as each
    from log`);
  return `bytes of the log for each change, of ${rows[0].leaves}: ${Math.round(rows[0].each)}`;
}

function percentiles(sorted) {
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return [0.5, 0.95, 0.99, 1]
    .map((share) => `${share === 1 ? 'max' : `p${share * 100}`} ${at(share).toFixed(1)} ms`)
    .join(', ');
}
