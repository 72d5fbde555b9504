// One process of a deployment that does nothing but background work: what it is told is `ProcessOptions` of work.ts.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { startBackground } from '../../dist/background/background.js';
import { createMetrics } from '../../dist/metrics.js';
import { createPool } from '../../dist/store/pool.js';

const { url, name, worker, bounds, mode } = JSON.parse(process.argv[2]);
const own = createPool({ connectionString: url, max: 4 }, () => {});
const pool = createPool({ connectionString: url, max: 2 }, () => {});

const background = startBackground({
  workers: [{ ...worker, run }],
  pool,
  holder: name,
  metrics: createMetrics(name).background,
  logger: pino({ level: 'silent' }),
  now: Date.now,
  clock: () => performance.now(),
  random: Math.random,
  bounds,
});

async function run({ ledger, unit }, signal) {
  const key = [name, ledger, unit];
  const { rows } = await own.query(
    'insert into run (process, ledger_id, id) values ($1, $2, $3) returning ctid::text as at',
    key,
  );
  if (mode === 'hold') await once(signal, 'abort');
  else await pause(5);
  await own.query('update run set ended = clock_timestamp() where ctid = $1::tid', [rows[0].at]);
  signal.throwIfAborted();
}

process.on('SIGTERM', async () => {
  await background.stop();
  process.exit(0);
});
