import type { FastifyInstance, FastifyReply } from 'fastify';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Metrics } from '../metrics.js';
import type { StoredBytes } from '../store/queries/ledgers.js';
import type { HttpService } from './http-service.js';

/** Counts every answer, and those of the ledgers that have metrics of their own. */
export function countAnswers(
  app: FastifyInstance,
  metrics: Metrics,
  { measuredLedgers = [], store }: HttpService,
): void {
  const forLedger = measureLedgers(metrics.registry, measuredLedgers, store.ledgers.storedBytes);
  // What follows an answer, such as the rest of a body that is refused, is no part of its time.
  const answered = new WeakMap<FastifyReply, number>();
  app.addHook('onSend', (_, reply, payload, done) => {
    answered.set(reply, reply.elapsedTime);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, facts } = request;
    const { statusCode: status } = reply;
    const seconds = (answered.get(reply) ?? reply.elapsedTime) / 1000;
    metrics.answered({ method, route: routeOptions.url ?? 'none', status, seconds });
    forLedger(facts?.ledger, status, seconds);
    done();
  });
}

/** Seconds: few, since each is a series of every ledger. */
const LEDGER_LATENCIES = [0.01, 0.05, 0.1, 0.5, 1, 5];

/** Counts the answer to a request, of the ledger with that handle. */
type CountForLedger = (ledger: string | undefined, status: number, seconds: number) => void;

/**
 * Metrics of the ledgers that the operator names. Others have none: a series for each ledger would be more than a monitoring keeps, and
 * anybody may make ledgers.
 *
 * @param handles of these ledgers
 * @param storedBytes what ledgers store, by handle
 */
function measureLedgers(
  registry: Registry,
  handles: readonly string[],
  storedBytes: (handles: readonly string[]) => Promise<readonly StoredBytes[]>,
): CountForLedger {
  const registers = [registry];
  const requests = new Counter({
    name: 'countersign_ledger_requests_total',
    help: 'Requests answered for a ledger of `METRICS_LEDGERS`: done, refused (4xx), or failed (5xx).',
    labelNames: ['ledger', 'outcome'] as const,
    registers,
  });
  const latency = new Histogram({
    name: 'countersign_ledger_request_seconds',
    help: 'Time from a request to its answer, for a ledger of `METRICS_LEDGERS`.',
    labelNames: ['ledger'] as const,
    buckets: LEDGER_LATENCIES,
    registers,
  });
  new Gauge({
    name: 'countersign_ledger_stored_bytes',
    help: 'What a ledger of `METRICS_LEDGERS` stores, as its quota counts it. Every process tells it: take the maximum.',
    labelNames: ['ledger'] as const,
    registers,
    async collect() {
      if (handles.length === 0) return;
      // While the database is out of reach, the last known figures stand.
      const stored = await storedBytes(handles).catch(() => []);
      for (const { handle, bytes } of stored) this.set({ ledger: handle }, bytes);
    },
  });
  const named = new Set(handles);
  return (ledger, status, seconds) => {
    if (ledger === undefined || !named.has(ledger)) return;
    requests.inc({ ledger, outcome: outcomeOf(status) });
    latency.observe({ ledger }, seconds);
  };
}

function outcomeOf(status: number): string {
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'done';
}
