import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RefusingLimit } from './metering/refusals.js';

/** Seconds: from a cached read to the longest a request may take. */
const LATENCIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** What a process counts and measures, for the metrics in the form of Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** What is counted of schedules. */
export interface ScheduleMetrics {
  /** An instant of a schedule was seen to, so many seconds after it: its report was created, repeated or refused. */
  followed(outcome: 'created' | 'repeated' | 'refused', delay: number): void;
}

/** What background work counts, by the name of its worker. */
export interface BackgroundMetrics {
  /** A run has ended: `done`, `failed`, `lost` with its lease, or `stopped` with the process. */
  ran(name: string, outcome: string, seconds: number): void;
  /** A step of background work has failed. */
  failed(name: string, step: string): void;
  /** Seconds that the longest due unit had waited at the last look. */
  lag(name: string, seconds: number): void;
  /** Whether hints of other processes are heard. */
  listening(is: boolean): void;
}

/** What is counted of deliveries. */
export interface DeliveryMetrics {
  /**
   * An attempt has ended: `delivered`, `rejected`, `unreachable`, `error`, `unwanted`, `withdrawn` or `expired`.
   *
   * @param seconds how long it took
   * @param waited seconds from the change to the attempt; absent after the first
   */
  attempted(outcome: string, seconds: number, waited?: number): void;
  /** A delivery was given up. */
  gaveUp(): void;
}

/**
 * The metrics of one process.
 *
 * @param worker which of the deployment's processes it is: a label of every metric
 */
export function createMetrics(worker: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ worker });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'countersign_requests_total',
    help: 'Requests answered, by route and HTTP status.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const latency = new Histogram({
    name: 'countersign_request_seconds',
    help: 'Time from a request to its answer, by route.',
    labelNames: ['method', 'route'] as const,
    buckets: LATENCIES,
    registers,
  });
  const sizes = new Histogram({
    name: 'countersign_batch_size',
    help: 'Writes stored by one commit, lookups answered by one query, requests whose signatures were made (`sign`) or verified (`verify`) together.',
    labelNames: ['of'] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const waits = new Histogram({
    name: 'countersign_batch_wait_seconds',
    help: 'How long the oldest item of a batch had waited for the one before it.',
    labelNames: ['of'] as const,
    buckets: LATENCIES,
    registers,
  });
  const corrupt = new Counter({
    name: 'countersign_corrupt_versions_total',
    help: 'Reads of stored versions that are not what was stored. Anything but 0 is an alarm.',
    registers,
  });
  const epoch = new Gauge({
    name: 'countersign_epoch',
    help: 'The epoch that ledgers were moved on to when the database went back in time under this process; 0 if it never did.',
    registers,
  });
  const tokens = new Counter({
    name: 'countersign_bridge_tokens_total',
    help: 'Access tokens fetched for calls to bridges: issued, refused, invalid (an answer without one), or failed (no answer).',
    labelNames: ['outcome'] as const,
    registers,
  });
  const refusals = refusalMetrics(registers);
  const background = backgroundMetrics(registers);
  const schedules = scheduleMetrics(registers);
  const routes = new Map<string, { requests: Counter.Internal; latency: Histogram.Internal<'method' | 'route'> }>();
  return {
    registry,
    /** A request was answered. `route` is the pattern; the path would expose handles of tenants. */
    answered({ method, route, status, seconds }: AnsweredRequest): void {
      // Looking a metric up by its labels costs more than counting: each route's are looked up once.
      const name = `${method} ${route} ${status}`;
      const counted = routes.get(name) ?? {
        requests: requests.labels({ method, route, status: String(status) }),
        latency: latency.labels({ method, route }),
      };
      routes.set(name, counted);
      counted.requests.inc();
      counted.latency.observe(seconds);
    },
    /** A stored version was read that differs from what was stored. */
    corrupt: (): void => corrupt.inc(),
    /** The database has gone on from an earlier point: all ledgers were moved on to that epoch. */
    epochBegan: (to: number): void => epoch.set(to),
    /** An access token for calls to a bridge was fetched, or could not be. */
    tokenFetched: (outcome: string): void => tokens.inc({ outcome }),
    ...refusals,
    background,
    deliveries: deliveryMetrics(registers),
    schedules,
    /** A batch of commits or lookups began; `waited` is the time its oldest item had waited, in seconds. */
    batched(of: string, size: number, waited: number): void {
      sizes.observe({ of }, size);
      waits.observe({ of }, waited);
    },
  };
}

/** What is counted of refusals. */
function refusalMetrics(registers: Registry[]) {
  const exceeded = new Counter({
    name: 'countersign_quota_exceeded_total',
    help: 'Writes that were refused, since their ledger would store more than its quota.',
    registers,
  });
  const limited = new Counter({
    name: 'countersign_rate_limited_total',
    help: 'Requests refused since there were too many: `requests` or new `ledgers` of an address, `writes` in a ledger; connections that were closed: `connections` beyond those of one address, `process-connections` beyond those of the process.',
    labelNames: ['limit'] as const,
    registers,
  });
  return {
    /** A write was refused, since its ledger would store more than it may. */
    quotaExceeded: (): void => exceeded.inc(),
    /** A request or connection was refused, since there are too many. */
    rateLimited: (limit: RefusingLimit): void => limited.inc({ limit }),
  };
}

function backgroundMetrics(registers: Registry[]): BackgroundMetrics {
  const runs = new Counter({
    name: 'countersign_background_runs_total',
    help: 'Runs of background work that ended: done, failed, lost with their lease, or stopped with the process.',
    labelNames: ['name', 'outcome'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'countersign_background_run_seconds',
    help: 'Time that a run took.',
    labelNames: ['name'] as const,
    buckets: LATENCIES,
    registers,
  });
  const failures = new Counter({
    name: 'countersign_background_failures_total',
    help: 'Failures of background work, by the step: run, claim (looking for due work), renew (a lease), release (a lease), hint.',
    labelNames: ['name', 'step'] as const,
    registers,
  });
  const lag = new Gauge({
    name: 'countersign_background_lag_seconds',
    help: 'How long the unit of work that was due for longest had waited when this process last looked.',
    labelNames: ['name'] as const,
    registers,
  });
  const listening = new Gauge({
    name: 'countersign_background_listening',
    help: 'Whether hints from other processes are heard (1). Without them work begins later, and is done all the same.',
    registers,
  });
  return {
    ran(name, outcome, seconds) {
      runs.inc({ name, outcome });
      durations.observe({ name }, seconds);
    },
    failed: (name, step) => failures.inc({ name, step }),
    lag: (name, seconds) => lag.set({ name }, seconds),
    listening: (is) => listening.set(is ? 1 : 0),
  };
}

function deliveryMetrics(registers: Registry[]): DeliveryMetrics {
  const attempts = new Counter({
    name: 'countersign_delivery_attempts_total',
    help: 'Attempts to deliver an event: delivered, rejected, unreachable, error; without a call: unwanted (its effect was dropped, or is out of use), withdrawn (the bridge has no trait for it), expired (the time for further attempts is over).',
    labelNames: ['outcome'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'countersign_delivery_attempt_seconds',
    help: 'Time that an attempt took.',
    labelNames: ['outcome'] as const,
    buckets: LATENCIES,
    registers,
  });
  const waits = new Histogram({
    name: 'countersign_delivery_lag_seconds',
    help: 'Time from a change to the first attempt to deliver its event.',
    buckets: [...LATENCIES, 60, 300, 3600],
    registers,
  });
  const givenUp = new Counter({
    name: 'countersign_deliveries_given_up_total',
    help: 'Deliveries that were given up after their last attempt.',
    registers,
  });
  return {
    attempted(outcome, seconds, waited) {
      attempts.inc({ outcome });
      durations.observe({ outcome }, seconds);
      if (waited !== undefined) waits.observe(waited);
    },
    gaveUp: () => givenUp.inc(),
  };
}

/** Seconds: from what nobody notices to a day without a server. */
const DELAYS = [1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400];

function scheduleMetrics(registers: Registry[]): ScheduleMetrics {
  const reports = new Counter({
    name: 'countersign_scheduled_reports_total',
    help: 'Instants of schedules: the report was created, was there already (repeated), or was refused and is not tried again.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const delays = new Histogram({
    name: 'countersign_scheduled_report_delay_seconds',
    help: 'Time from the instant of a schedule to when it was acted on.',
    buckets: DELAYS,
    registers,
  });
  return {
    followed(outcome, delay) {
      reports.inc({ outcome });
      delays.observe(Math.max(0, delay));
    },
  };
}

/** Adds what the process runs, and since when. @param build of this program, as the server information states it */
export function tellBuild({ registry }: Metrics, build: string): void {
  new Gauge({
    name: 'countersign_build_info',
    help: 'Always 1: `build` is the version and commit of the program, `node` the release of Node.js.',
    labelNames: ['build', 'node'] as const,
    registers: [registry],
  }).set({ build, node: process.versions.node }, 1);
  // That of the library is left out where the metrics of several processes are put together.
  new Gauge({
    name: 'countersign_start_time_seconds',
    help: 'When the process started, in seconds since 1970.',
    registers: [registry],
  }).set(performance.timeOrigin / 1000);
}

/**
 * Adds the count of processes that were replaced, which the primary keeps. Each begins at 0: an increase from nothing would not show.
 *
 * @param workers the names of the processes
 */
export function makeReplacedCounter(registry: Registry, workers: readonly string[]): Counter<'worker' | 'because'> {
  const counter = new Counter({
    name: 'countersign_workers_replaced_total',
    help: 'Serving processes that were replaced because they died, or because their event loop stood still.',
    labelNames: ['worker', 'because'] as const,
    registers: [registry],
  });
  for (const worker of workers) for (const because of ['died', 'stood-still']) counter.inc({ worker, because }, 0);
  return counter;
}

/** Adds the number of requests that wait for their turn. */
export function watchTurns({ registry }: Metrics, waiting: () => number): void {
  new Gauge({
    name: 'countersign_turns_waiting',
    help: 'Requests that wait for their turn because their ledger has used a lot of the process.',
    registers: [registry],
    collect() {
      this.set(waiting());
    },
  });
}

/** The service's own metrics as a table in Markdown, for the documentation. */
export function renderMetrics({ registry }: Metrics): string {
  const rows = registry
    .getMetricsAsArray()
    .map((metric) => metric as unknown as { name: string; type: string; help: string; labelNames: string[] })
    .filter(({ name }) => name.startsWith('countersign_'))
    .map(({ name, type, help, labelNames }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
    });
  return ['| Metric | Type | Labels | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}
