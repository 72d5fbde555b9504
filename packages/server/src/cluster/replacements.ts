import { Registry } from 'prom-client';
import { makeReplacedCounter } from '../metrics.js';
import type { Counts } from './messages.js';

/** Counts the workers that were replaced because they had stopped serving. */
export interface Replacements {
  /** @param worker which of the deployment's processes it was */
  count(worker: string, because: 'died' | 'stood-still'): void;
  counts(): Promise<Counts>;
}

/** Kept by the primary, which outlives its workers. */
export function replacements(): Replacements {
  const registry = new Registry();
  const counter = makeReplacedCounter(registry);
  return {
    count: (worker, because) => counter.inc({ worker, because }),
    counts: async () => (await registry.getMetricsAsJSON()) as unknown as Counts,
  };
}
