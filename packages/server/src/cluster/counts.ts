import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { clusterLimits } from './cluster-limits.js';
import type { Counts, ToPrimary, ToWorker } from './messages.js';

let questions = 0;

/**
 * The metrics of all workers as one text, each labelled with its worker. One that takes too long is left out.
 *
 * @param own the metrics of the primary itself
 */
export async function collectCounts(workers: readonly Worker[], own: Counts): Promise<string> {
  const counts = await Promise.all(workers.map(countsOf));
  return AggregatorRegistry.aggregate([own, ...counts.filter((one) => one !== undefined)]).metrics();
}

function countsOf(worker: Worker): Promise<Counts | undefined> {
  questions += 1;
  const question = questions;
  return new Promise((resolve) => {
    const end = (counts: Counts | undefined) => {
      clearTimeout(timer);
      worker.off('message', hear);
      resolve(counts);
    };
    const hear = (message: ToPrimary) => {
      if (message.type === 'counts' && message.question === question) end(message.counts);
    };
    const timer = setTimeout(() => end(undefined), clusterLimits.metrics.told);
    worker.on('message', hear);
    const ask: ToWorker = { type: 'count', question };
    if (worker.isConnected()) worker.send(ask, () => {});
    else end(undefined);
  });
}
