import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MeasuredLogs } from '../store/log/sealing.js';

/** What is counted of logs. */
export type LogMetrics = ReturnType<typeof createLogMetrics>;

/**
 * How a witness answered: `cosigned`; `refused`, it does not know the log or its key; `invalid`, its answer cannot be
 * taken; `failed`, there was none; `contradicted`, it has cosigned what the log does not have.
 */
export type WitnessOutcome = 'cosigned' | 'refused' | 'invalid' | 'failed' | 'contradicted';

/**
 * Counts what is sealed.
 *
 * @param measure asked at each scrape
 * @param hasWitnesses whether checkpoints wait for cosignatures
 */
export function createLogMetrics(registry: Registry, measure: () => Promise<MeasuredLogs>, hasWitnesses: boolean) {
  const registers = [registry];
  const leaves = new Counter({ name: 'countersign_log_leaves_total', help: 'Changes sealed into logs.', registers });
  const seconds = new Histogram({
    name: 'countersign_log_seal_seconds',
    help: 'Time of a transaction that seals.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const failures = new Counter({
    name: 'countersign_log_failures_total',
    help: 'Rounds of sealing that failed, and were tried again.',
    registers,
  });
  const stops = new Counter({
    name: 'countersign_log_stops_total',
    help: 'Logs that this process has stopped, since the database contradicts what was shown. Anything but 0 is an alarm.',
    registers,
  });
  const asked = new Counter({
    name: 'countersign_log_witness_total',
    help: 'Requests to witnesses for cosignatures, by the name of the witness and what became of them.',
    labelNames: ['witness', 'outcome'],
    registers,
  });
  const lost = new Gauge({
    name: 'countersign_log_lost',
    help: 'Logs of which the database had less than was shown, when it last went back in time under this process. Anything but 0 is an alarm.',
    registers,
  });
  let underWay: Promise<MeasuredLogs> | undefined;
  // One scrape collects all gauges at once.
  const measured = () => {
    underWay ??= measure().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  const gauge = (name: string, help: string, of: (measured: MeasuredLogs) => number) => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(of(await measured()));
      },
    });
  };
  gauge(
    'countersign_log_oldest_unsealed_seconds',
    'Age of the oldest change that is not sealed; 0 when all are. Ledgers on nodes that are down are left out.',
    ({ oldest }) => oldest,
  );
  gauge(
    'countersign_log_unwitnessed_seconds',
    'How long the newest checkpoint of a log has lacked a cosignature, of the log that waits longest; 0 without witnesses. Ledgers on nodes that are down are left out.',
    ({ unwitnessed }) => (hasWitnesses ? unwitnessed : 0),
  );
  gauge(
    'countersign_log_stopped',
    'Logs that are stopped, of the whole deployment. Anything but 0 is an alarm. Ledgers on nodes that are down are left out.',
    ({ stopped }) => stopped,
  );
  return {
    /** Leaves were sealed, by a transaction of so many seconds. */
    sealed(count: number, took: number): void {
      leaves.inc(count);
      seconds.observe(took);
    },
    /** A round of sealing has failed. */
    failed: (): void => failures.inc(),
    /** The log of a ledger was stopped. */
    stopped: (): void => stops.inc(),
    /** The database has less of so many logs than was shown. */
    lost: (logs: number): void => lost.set(logs),
    /** A witness was asked to cosign a checkpoint. */
    asked: (witness: string, outcome: WitnessOutcome): void => asked.inc({ witness, outcome }),
  };
}
