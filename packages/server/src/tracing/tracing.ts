import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** Spans of what the server does (operations/tracing). Where nothing is traced, each of these only does the work. */
export interface Tracing {
  /** Whether anything is traced at all. */
  readonly isOn: boolean;
  /** Begins the span of a request, if it is one of those that are traced. @param parent its header `traceparent` */
  request(method: string, parent: unknown): RequestSpan | undefined;
  /** Does work in a span below the one that is under way here; in none, where that is not traced. */
  span<T>(name: string, work: () => Promise<T>, attributes?: Attributes): Promise<T>;
  /** The same for a call of a service outside. */
  call<T>(name: string, work: () => Promise<T>, attributes?: Attributes): Promise<T>;
  /** Does work that no request waits for in a trace of its own, if it is one of those that are traced. */
  root<T>(name: string, work: () => Promise<T>, attributes?: Attributes): Promise<T>;
  /** Adds to the span that is under way here. */
  note(attributes: Attributes): void;
  /** The header by which a call outside takes the trace on; none where nothing is traced here. */
  headers(): Readonly<Record<string, string>>;
  /** Sends what has ended. */
  stop(): Promise<void>;
}

/** The span of a request. */
export interface RequestSpan {
  /** Does work in it. */
  run(work: () => void): void;
  /** @param name of what was asked for */
  end(name: string, status: number, attributes: Attributes): void;
}

const NO_HEADERS = {};

/** For a server that traces nothing. */
export const UNTRACED: Tracing = {
  isOn: false,
  request: () => undefined,
  span: (_, work) => work(),
  call: (_, work) => work(),
  root: (_, work) => work(),
  note() {},
  headers: () => NO_HEADERS,
  async stop() {},
};

/** What spans are made with. */
export interface TracingDeps {
  readonly tracer: Tracer;
  /** The part of requests, and of other work, that is traced. */
  readonly share: number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly stop: () => Promise<void>;
}

/**
 * Traces a part of all requests, drawn here. A client's `traceparent` says which trace a request belongs to, and never that it is
 * traced: neither its flag nor its id, which sampling by ids would look at, lets a stranger have everything traced.
 */
export function createTracing({ tracer, share, random, stop }: TracingDeps): Tracing {
  const current = new AsyncLocalStorage<Span | undefined>();
  const isDrawn = () => share > 0 && random() < share;
  const begin = (name: string, kind: SpanKind, parent: Span | undefined, attributes?: Attributes) => {
    const context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    return tracer.startSpan(name, { kind, ...(attributes ? { attributes } : {}) }, context);
  };
  const within = async <T>(span: Span, work: () => Promise<T>): Promise<T> => {
    try {
      return await current.run(span, work);
    } catch (error) {
      // Its message may hold what a client has sent.
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  };
  const below = <T>(name: string, kind: SpanKind, work: () => Promise<T>, attributes?: Attributes): Promise<T> => {
    const parent = current.getStore();
    return parent ? within(begin(name, kind, parent, attributes), work) : work();
  };
  return {
    isOn: true,
    request(method, parent) {
      if (!isDrawn()) return undefined;
      const span = begin(method, SpanKind.SERVER, remoteParent(parent), { 'http.request.method': method });
      return {
        run: (work) => current.run(span, work),
        end(name, status, attributes) {
          span.updateName(name);
          span.setAttributes({ ...attributes, 'http.response.status_code': status });
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    span: (name, work, attributes) => below(name, SpanKind.INTERNAL, work, attributes),
    call: (name, work, attributes) => below(name, SpanKind.CLIENT, work, attributes),
    root(name, work, attributes) {
      // Work that many requests share is begun by one of them: it belongs to none.
      if (!isDrawn()) return current.run(undefined, work);
      return within(begin(name, SpanKind.INTERNAL, undefined, attributes), work);
    },
    note(attributes) {
      current.getStore()?.setAttributes(attributes);
    },
    headers() {
      const span = current.getStore()?.spanContext();
      return span ? { traceparent: `00-${span.traceId}-${span.spanId}-01` } : NO_HEADERS;
    },
    stop,
  };
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-|$)/;

/** The span of a caller (W3C Trace Context); undefined where the header is missing or malformed. */
function remoteParent(header: unknown): Span | undefined {
  const [, traceId, spanId] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return trace.wrapSpanContext({ traceId, spanId, traceFlags: 1, isRemote: true });
}
