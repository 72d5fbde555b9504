import type { FastifyBaseLogger } from 'fastify';
import { createTracing, type Tracing } from './tracing.js';

/** The packages that send spans: installed by operators who want traces. */
const PACKAGES = [
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/resources',
  '@opentelemetry/exporter-trace-otlp-http',
] as const;

/** Milliseconds that a process that stops waits for its last spans to be sent. */
const FLUSH_WAIT = 2_000;

/** Traces are asked for, and what sends them is not installed. */
export class TracingUnavailable extends Error {}

/** @throws TracingUnavailable unless the packages that send spans are installed */
export async function assertTraceable(endpoint: string | undefined): Promise<void> {
  if (endpoint === undefined) return;
  await loadSdk();
}

async function loadSdk() {
  try {
    const [sdk, resources, exporter] = await Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { ...sdk, ...resources, ...exporter };
  } catch (cause) {
    const packages = PACKAGES.map((name) => (name.includes('exporter') ? `${name}@0.223` : `${name}@2`)).join(' ');
    throw new TracingUnavailable(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, and the packages that send traces cannot be loaded: npm install ${packages}`,
      { cause },
    );
  }
}

/** What traces are sent with. */
export interface TraceOptions {
  /** Base URL of the receiver: spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  /** The part of requests that is traced. */
  readonly share: number;
  readonly serviceName: string;
  readonly build: string;
  /** Name of this process. */
  readonly instance: string;
  readonly random: () => number;
  readonly logger: Pick<FastifyBaseLogger, 'warn' | 'info'>;
}

/**
 * Sends traces to a receiver of OTLP over HTTP. What the receiver does not take in time is dropped: nothing waits for it.
 *
 * @throws TracingUnavailable
 */
export async function openTracing(options: TraceOptions): Promise<Tracing> {
  const { BasicTracerProvider, BatchSpanProcessor, AlwaysOnSampler, resourceFromAttributes, OTLPTraceExporter } =
    await loadSdk();
  const { endpoint, share, random, build, logger } = options;
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  let isFailing = false;
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': build,
      'service.instance.id': options.instance,
    }),
    // Which requests are traced was drawn before.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({
        export(spans, done) {
          exporter.export(spans, (result) => {
            if (result.code !== 0 && !isFailing) logger.warn({ err: result.error }, 'traces cannot be sent');
            isFailing = result.code !== 0;
            done(result);
          });
        },
        shutdown: () => exporter.shutdown(),
      }),
    ],
  });
  return createTracing({
    tracer: provider.getTracer('countersign', build),
    share,
    random,
    async stop() {
      await Promise.race([
        provider.shutdown().catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, FLUSH_WAIT).unref()),
      ]);
    },
  });
}
