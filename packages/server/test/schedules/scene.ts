import { randomBytes } from 'node:crypto';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { Runtime } from '../../src/base/clock.js';
import { createMetrics, type Metrics } from '../../src/metrics.js';
import { FOLLOW_SCHEDULES, followSchedules } from '../../src/schedules/follow.js';
import { createPool } from '../../src/store/pool.js';
import { createSchedules, DUE_SCHEDULES } from '../../src/store/schedules.js';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';

/** The configuration that has schedules followed. */
export const ON: JsonObject = { 'policy.scheduleProcessorEnabled': true };

/** A clock that a test moves: days of it take no time. */
export class Clock {
  now = Date.parse('2026-03-01T00:00:00Z');
  readonly runtime: Runtime = { now: () => this.now, random: (bytes) => randomBytes(bytes) };

  set(moment: string): void {
    this.now = Date.parse(moment);
  }
}

/** A ledger whose schedules are followed. */
export interface ScheduleUnit {
  readonly ledger: number;
  readonly unit: string;
}

/** What background work does of schedules, done at once and to its end. */
export interface Follower {
  readonly metrics: Metrics;
  /** What was logged. */
  readonly lines: readonly JsonObject[];
  /** Finds what is due by the clock. */
  find(): Promise<void>;
  /** The ledgers that are due. */
  due(): Promise<ScheduleUnit[]>;
  /** Follows the schedules of one of them. */
  follow(unit: ScheduleUnit, signal?: AbortSignal): Promise<void>;
  /** All of it, until nothing is due any more. */
  settle(): Promise<void>;
  /** Moves the clock, and does what is to be done by then. */
  settleAt(moment: string): Promise<void>;
}

/** A deployment whose clock is the test's. */
export interface Deployment {
  readonly clock: Clock;
  readonly server: RunningServer;
  readonly pool: pg.Pool;
  /** What one more process would do, beside the background work of the server itself. */
  follower(of?: RunningServer): Follower;
}

/** Keeps the server itself from finding what is due: its lease is another's. */
const HELD = `insert into lease (ledger_id, worker, unit, holder, until, failures)
  values (0, 'find-schedules', '', 'the test', now() + interval '1 day', 0)
  on conflict (ledger_id, worker, unit) do update set holder = excluded.holder, until = excluded.until`;

/** Keeps the server from following what a test has found to be due, likewise. */
const UNITS_HELD = `insert into lease (ledger_id, worker, unit, holder, until, failures)
  select id, '${FOLLOW_SCHEDULES}', luid, 'the test', now() + interval '1 day', 0 from ledger
  on conflict (ledger_id, worker, unit) do update set holder = excluded.holder, until = excluded.until`;

/**
 * One for all tests of a file.
 *
 * @param alone whether only what the tests do themselves follows schedules, and not the server
 */
export function withSchedules(alone = false): { readonly current: Deployment } {
  let current: Deployment | undefined;
  let database: TestDatabase;
  beforeAll(async () => {
    const clock = new Clock();
    database = await createMigratedDatabase();
    const server = await startServer({ database, runtime: clock.runtime });
    // Under another name than that of servers, whose statements are looked at (scripts/testing/one-node.mjs).
    const pool = createPool({ connectionString: database.url, application_name: 'tests' }, () => {});
    if (alone) await pool.query(HELD);
    const hold = async () => void (alone && (await pool.query(UNITS_HELD)));
    const follower = (of = server) => createFollower(of, pool, clock, hold);
    current = { clock, server, pool, follower };
  });
  afterAll(async () => {
    await current?.server.stop();
    await current?.pool.end();
    await database.drop();
  });
  return {
    get current() {
      if (!current) throw new Error('The deployment is started before the tests, not before the file is read.');
      return current;
    },
  };
}

function createFollower(
  { server: { service } }: RunningServer,
  pool: pg.Pool,
  clock: Clock,
  hold: () => Promise<void>,
): Follower {
  const schedules = createSchedules(pool);
  const metrics = createMetrics('0');
  const lines: JsonObject[] = [];
  const logger = { warn: (told: JsonObject, msg: string) => lines.push({ ...told, msg }) };
  const worker = followSchedules({
    service,
    schedules,
    metrics: metrics.schedules,
    logger: logger as unknown as FastifyBaseLogger,
  });
  const never = new AbortController().signal;
  const follower: Follower = {
    metrics,
    lines,
    async find() {
      await hold();
      await schedules.markDue(clock.now, never);
    },
    async due() {
      const { rows } = await pool.query({ text: DUE_SCHEDULES });
      return rows.map(({ ledger_id: ledger, luid: unit }) => ({ ledger, unit }));
    },
    follow: (unit, signal = never) => worker.run({ ...unit, failures: 0 }, signal),
    async settle() {
      await follower.find();
      for (const unit of await follower.due()) await follower.follow(unit);
    },
    async settleAt(moment) {
      clock.set(moment);
      await follower.settle();
    },
  };
  return follower;
}

/** The unit of a ledger, due or not. */
export async function unitOf({ pool }: Deployment, { ledger }: TestClient): Promise<ScheduleUnit> {
  const { rows } = await pool.query('select id as ledger, luid as unit from ledger where handle = $1', [ledger]);
  return rows[0];
}

/** What a schema of reports says they hold. */
const WINDOW = {
  type: 'object',
  properties: {
    custom: {
      type: 'object',
      properties: {
        start_timestamp: { type: 'string' },
        end_timestamp: { type: 'string' },
        closes: { type: 'string' },
      },
      additionalProperties: false,
    },
  },
};

/** A ledger that follows schedules, with a schema `daily` for reports. */
export async function scheduledLedger(url: string, config: JsonObject = ON): Promise<TestClient> {
  const client = await newLedger(url, { access: OPEN, config });
  await stored(client, 'schema', { handle: 'daily', record: 'report', format: 'json-schema', schema: WINDOW });
  return client;
}

export function schedulePolicy(crons: readonly string[], more: JsonObject = {}): JsonObject {
  return {
    handle: 'schedule',
    schema: 'schedule',
    record: 'report',
    action: 'create',
    inputs: { schema: 'daily' },
    values: crons.map((cron) => ({ cron })),
    ...more,
  };
}

/** The reports of a ledger, oldest first. */
export async function reportsOf(client: TestClient): Promise<RecordEnvelope[]> {
  return ok(await client.get('/reports?page.limit=1000')).body.data.reverse();
}

/** The instants that they are of. */
export async function instantsOf(client: TestClient): Promise<(string | undefined)[]> {
  return (await reportsOf(client)).map(({ meta }) => meta.proofs[0]?.custom?.moment as string | undefined);
}
