import { Gauge } from 'prom-client';
import type { Metrics } from '../metrics.js';

/** Deliveries that wait for an attempt: how many, and when the longest overdue of them was due. */
export interface WaitingDeliveries {
  readonly count: number;
  readonly oldest: Date | null;
  /** Those that were set aside for further attempts. */
  readonly aside: number;
}

/**
 * Adds the deliveries that wait in the whole deployment, counted when metrics are asked for; each process tells the same.
 *
 * @param now milliseconds since 1970
 */
export function watchDeliveries(
  { registry }: Metrics,
  count: () => Promise<WaitingDeliveries>,
  now: () => number,
): void {
  let found: Promise<WaitingDeliveries | undefined> | undefined;
  // The gauges are collected at once, by one query.
  const countOnce = () => {
    found ??= count()
      .catch(() => undefined)
      .finally(() => {
        found = undefined;
      });
    return found;
  };
  new Gauge({
    name: 'countersign_deliveries_waiting',
    help: 'Deliveries that wait for an attempt, in the whole deployment; counted up to 100,000. Those that a suspension of their ledger stops are left out.',
    registers: [registry],
    async collect() {
      const waiting = await countOnce();
      if (waiting) this.set(waiting.count);
    },
  });
  new Gauge({
    name: 'countersign_deliveries_set_aside',
    help: 'Deliveries set aside for further attempts, in the whole deployment: those that failed as often as their schedule says, and events never attempted since their effect rests. Counted up to 100,000.',
    registers: [registry],
    async collect() {
      const waiting = await countOnce();
      if (waiting) this.set(waiting.aside);
    },
  });
  new Gauge({
    name: 'countersign_deliveries_oldest_waiting_seconds',
    help: 'How long the longest overdue of the deliveries that wait for an attempt has been due. It is 0 while each waits for a time to come.',
    registers: [registry],
    async collect() {
      const waiting = await countOnce();
      if (waiting) this.set(waiting.oldest === null ? 0 : Math.max(0, now() - waiting.oldest.getTime()) / 1000);
    },
  });
}
