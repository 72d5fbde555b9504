import { Agent, buildConnector, errors, request } from 'undici';
import { Overloaded } from '../base/gather.js';
import { limits } from '../limits.js';
import { makeGuardedConnector } from './guarded.js';
import { type Outbound, type OutboundAnswer, type OutboundCall, OutboundFailure } from './outbound.js';
import { underWay } from './under-way.js';

/** Error codes of the system and of undici for a timeout. */
const LATE: readonly unknown[] = [
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
];

interface Options {
  readonly allowPrivate: boolean;
  readonly origins?: number;
}

/**
 * Outbound HTTP (decision 0013): bounded in time, size, connections and calls under way. Does not follow redirects.
 *
 * @param allowPrivate also allows addresses outside the public Internet
 * @param origins greatest number of origins with connections at a time
 */
export function createOutbound({ allowPrivate, origins = limits.outbound.origins }: Options): Outbound {
  const { connect: timeout, connections, total, answer, idle, calls } = limits.outbound;
  const counted = underWay({ each: calls.ledger, all: calls.process });
  const agent = new Agent({
    connect: allowPrivate ? buildConnector({ timeout }) : makeGuardedConnector(timeout),
    connections,
    maxOrigins: origins,
    pipelining: 1,
    keepAliveTimeout: idle,
    // Otherwise the service called decides, up to ten minutes.
    keepAliveMaxTimeout: idle,
    headersTimeout: total,
    bodyTimeout: total,
    maxResponseSize: answer,
  });
  const send = async (call: OutboundCall): Promise<OutboundAnswer> => {
    const { url, method, headers, body } = call;
    const within = Math.min(call.within, total);
    const signal = AbortSignal.timeout(within);
    try {
      const options = { dispatcher: agent, method, headers, signal, ...(body === undefined ? {} : { body }) };
      const { statusCode, headers: answered, body: stream } = await request(url, options);
      return { status: statusCode, headers: answered, text: await stream.text() };
    } catch (error) {
      if (error instanceof errors.MaxOriginsReachedError) throw new Overloaded();
      throw failureOf(call, within, signal, error);
    }
  };
  return {
    send: (call) => counted(call.ledger, () => send(call)),
    close: () => agent.close(),
  };
}

function failureOf({ url }: OutboundCall, within: number, signal: AbortSignal, error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const { host } = new URL(url);
  const { code, message } = error as NodeJS.ErrnoException;
  if (signal.aborted || LATE.includes(code)) {
    return new OutboundFailure('late', `${host} did not answer within ${within} ms`, 'ETIMEDOUT');
  }
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return new OutboundFailure('oversized', `The answer of ${host} is larger than ${limits.outbound.answer} bytes`);
  }
  if (error instanceof errors.InvalidArgumentError) return new OutboundFailure('impossible', message);
  return new OutboundFailure('unreachable', `${host}: ${message}`, code);
}
