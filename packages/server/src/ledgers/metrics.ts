import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '../metrics.js';

/** What a process holds of its ledgers. */
interface HeldLedgers {
  /** Those in memory, under handle and luid. */
  readonly held: number;
  /** How many were read from the database, since the process began. */
  readonly loads: number;
}

/** Adds what is held of ledgers. A process that reads them again and again has too many to hold. */
export function watchLedgers({ registry }: Pick<Metrics, 'registry'>, count: () => HeldLedgers): void {
  new Gauge({
    name: 'countersign_ledgers_held',
    help: 'States of ledgers in the memory of the process: one under the handle, one under the luid.',
    registers: [registry],
    collect() {
      this.set(count().held);
    },
  });
  new Counter({
    name: 'countersign_ledger_loads_total',
    help: 'How often the state of a ledger was asked of the database: one that is not held, or is not there.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(count().loads);
    },
  });
}
