import { once } from 'node:events';
import { createServer } from 'node:http';
import { Registry } from 'prom-client';
import { clusterLimits } from './cluster-limits.js';
import { cannotListen, METRICS_ADDRESS } from './port.js';

/** The listener of the metrics, which only operators reach. */
export interface MetricsListener {
  stop(): Promise<void>;
}

/**
 * Serves `GET /metrics`, and nothing else, at an address of its own.
 *
 * @param collect the metrics of all processes, in the text format of Prometheus
 * @param now milliseconds of a monotonic clock
 *
 * @throws Error in one line for the operator when the address is unusable
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  collect: () => Promise<string>,
  now: () => number,
): Promise<MetricsListener> {
  const text = collectOnce(collect, clusterLimits.metrics.fresh, now);
  const { request: requestTimeout, connections } = clusterLimits.metrics;
  const server = createServer({ requestTimeout, headersTimeout: requestTimeout }, (request, answer) => {
    const end = (status: number, body: string, type = 'text/plain; charset=utf-8') => {
      answer.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
      answer.end(request.method === 'HEAD' ? undefined : body);
    };
    const isAsked =
      (request.method === 'GET' || request.method === 'HEAD') && /^\/metrics\/?(?:\?|$)/.test(request.url ?? '');
    if (!isAsked) return end(404, 'The metrics are at /metrics.\n');
    text().then(
      (metrics) => end(200, metrics, Registry.PROMETHEUS_CONTENT_TYPE),
      () => end(500, 'The metrics could not be collected.\n'),
    );
  });
  server.maxConnections = connections;
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error, host, port, METRICS_ADDRESS);
  }
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** One collection for all who ask while it is under way, and for so many milliseconds after it began. */
export function collectOnce(collect: () => Promise<string>, fresh: number, now: () => number): () => Promise<string> {
  let latest: { readonly since: number; readonly text: Promise<string>; isDone: boolean } | undefined;
  return () => {
    if (latest && (!latest.isDone || now() - latest.since < fresh)) return latest.text;
    const one = { since: now(), text: collect(), isDone: false };
    latest = one;
    const done = () => {
      one.isDone = true;
    };
    one.text.then(done, done);
    return one.text;
  };
}
