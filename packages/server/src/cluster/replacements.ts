import type { Registry } from 'prom-client';
import { makeReplacedCounter } from '../metrics.js';
import type { Counts } from './messages.js';

/** Counts the workers that were replaced because they had stopped serving. */
export type Replacements = ReturnType<typeof replacements>;

/** Kept by the primary, which outlives its workers. @param workers the names of the deployment's processes */
export function replacements(registry: Registry, workers: readonly string[]) {
  const counter = makeReplacedCounter(registry, workers);
  return {
    /** @param worker which of the deployment's processes it was */
    count: (worker: string, because: 'died' | 'stood-still'): void => counter.inc({ worker, because }),
    counts: async (): Promise<Counts> => (await registry.getMetricsAsJSON()) as unknown as Counts,
  };
}
