import { freeBytes } from '@countersign/embedded-postgres/data-dir';
import type pg from 'pg';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Readiness } from './readiness.js';
import type { WriteGate } from './writes-refused.js';

/** What is measured of a database. */
interface MeasuredDatabase {
  /** Connections, by what they are for. */
  readonly pools: Readonly<Record<string, pg.Pool>>;
  readonly readiness: Pick<Readiness, 'isReady'>;
  readonly writes: Pick<WriteGate, 'isOpen'>;
  /** The folder of the embedded PostgreSQL; absent for another one, whose disk is not known. */
  readonly folder?: string;
}

/** Seconds: from one statement on a warm cache to the longest that a transaction may take. */
const TIMES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

/** Adds the state of the database, as this process finds it. */
export function watchDatabase(registry: Registry, { pools, readiness, writes, folder }: MeasuredDatabase): void {
  const registers = [registry];
  watchPools(registers, pools);
  new Gauge({
    name: 'countersign_ready',
    help: 'Whether the process is ready (1): the database answers, and it holds all master keys. While it is drained it is, though `/health/ready` says 503.',
    registers,
    collect() {
      this.set(readiness.isReady() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'countersign_writes_taken',
    help: 'Whether writes are taken (1). They are refused while the disk is nearly full, the clock is ahead of the database, or an operator has made the server read-only.',
    registers,
    collect() {
      this.set(writes.isOpen() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'countersign_disk_free_bytes',
    help: 'What is free on the disk of the embedded PostgreSQL. Absent with `DATABASE_URL`.',
    registers,
    async collect() {
      if (folder === undefined) return this.remove();
      const free = await freeBytes(folder).catch(() => undefined);
      if (free !== undefined) this.set(free);
    },
  });
}

function watchPools(registers: Registry[], pools: MeasuredDatabase['pools']): void {
  new Gauge({
    name: 'countersign_database_connections',
    help: 'Connections to the database, of lists, deliveries, leases and the others: `used`, `idle`, and requests `waiting` for one.',
    labelNames: ['of', 'state'] as const,
    registers,
    collect() {
      for (const [of, pool] of Object.entries(pools)) {
        this.set({ of, state: 'used' }, pool.totalCount - pool.idleCount);
        this.set({ of, state: 'idle' }, pool.idleCount);
        this.set({ of, state: 'waiting' }, pool.waitingCount);
      }
    },
  });
  const times = new Histogram({
    name: 'countersign_database_seconds',
    help: 'How long a connection was used at a time: for one statement, or one transaction.',
    labelNames: ['of'] as const,
    buckets: TIMES,
    registers,
  });
  for (const [of, pool] of Object.entries(pools)) {
    const time = times.labels({ of });
    const since = new WeakMap<pg.PoolClient, number>();
    pool.on('acquire', (client) => since.set(client, performance.now()));
    pool.on('release', (_, client) => {
      const began = since.get(client);
      if (began !== undefined) time.observe((performance.now() - began) / 1000);
    });
  }
}
