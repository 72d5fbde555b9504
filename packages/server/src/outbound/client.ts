import { LedgerError } from '@countersign/protocol';
import { type Dispatcher, errors, request } from 'undici';
import { Overloaded } from '../base/gather.js';
import { withoutBrackets } from './addresses.js';
import { type AgentOptions, createAgents } from './agents.js';
import { createCallers } from './callers.js';
import type { ResolveName } from './guarded-connector.js';
import { createHandshakes, type Handshakes } from './handshakes.js';
import { createHostNames, type HostNames } from './names.js';
import { type Outbound, type OutboundAnswer, type OutboundCall, OutboundFailure } from './outbound.js';
import { certificateLimits, outboundLimits } from './outbound-limits.js';
import { hostKey } from './tls.js';
import { createTrials, SLOW_HANDSHAKE, type Trials } from './trials.js';
import { boundConcurrency } from './under-way.js';

/** Error codes of the system and of undici for a timeout. */
const TIMEOUT_CODES: readonly unknown[] = [
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
];

/** The code of the system for a service that speaks another protocol, or no TLS that is taken. */
const NO_TLS = 'EPROTO';

interface OutboundOptions extends Partial<AgentOptions> {
  readonly allowPrivate: boolean;
  /** Calls under way: `outboundLimits.calls` unless given. */
  readonly calls?: { readonly process: number; readonly ledger: number };
  /** Resolves names; as the system does, unless given. */
  readonly names?: HostNames;
  /** Bounds handshakes; within `handshakeLimits` unless given. */
  readonly handshakes?: Handshakes;
  /** Shared with other clients, and closed by who made them; of its own unless given. */
  readonly trials?: Trials;
}

/**
 * Outbound HTTP (decision 0013): bounded in time, size, connections and calls under way. Does not follow redirects.
 *
 * @param options the bounds of `limits` unless given
 */
export function createOutbound({
  calls = outboundLimits.calls,
  names = createHostNames(),
  handshakes,
  trials: shared,
  ...options
}: OutboundOptions): Outbound {
  const { total, origins } = outboundLimits;
  const callers = createCallers();
  const isCalled = (ledger: number, host: string) => callers.of(host).includes(ledger);
  const counted = boundConcurrency({ each: calls.ledger, all: calls.process });
  const trials = shared ?? createTrials({ ca: options.ca });
  const agents = createAgents(
    { origins, certificates: certificateLimits.count, ...options },
    { lookup: lookupOf(names), handshakes: handshakes ?? createHandshakes(isCalled), trials },
  );
  const send = async (call: OutboundCall): Promise<OutboundAnswer> => {
    const { url, method, headers, body } = call;
    const within = Math.min(call.within, total);
    const late = AbortSignal.timeout(within);
    const signal = call.signal ? AbortSignal.any([late, call.signal]) : late;
    const dispatcher = agents.take(call.ledger, call.certificate);
    const { hostname, port } = new URL(url);
    const named = names.callers.add(call.ledger, withoutBrackets(hostname));
    const called = callers.add(call.ledger, hostKey(hostname, port || '443'));
    try {
      const options = { dispatcher, method, headers, signal, body };
      const { statusCode, headers: answered, body: stream } = await request(url, options);
      if (!call.ignoresBody) return { status: statusCode, headers: answered, text: await stream.text() };
      await passOver(stream, signal);
      return { status: statusCode, headers: answered, text: '' };
    } catch (error) {
      if (error instanceof Overloaded) throw error;
      if (error instanceof errors.MaxOriginsReachedError) throw new Overloaded();
      throw toOutboundFailure(call, within, late, error);
    } finally {
      named();
      called();
    }
  };
  return {
    send: (call) => counted(call.ledger, () => send(call)),
    verifyCertificate: (ledger, certificate) => void agents.take(ledger, certificate),
    async close() {
      await agents.close();
      if (!shared) await trials.close();
    },
  };
}

function lookupOf(names: HostNames): ResolveName {
  return (hostname, _, done) => {
    names.lookup(hostname).then(
      (addresses) => done(null, addresses),
      (error) => done(error, []),
    );
  };
}

/** Reads a body that nobody asked for, so that its connection can be used again. A long or slow one ends the connection. */
async function passOver(stream: Dispatcher.ResponseData['body'], signal: AbortSignal): Promise<void> {
  const { bytes, milliseconds } = outboundLimits.ignored;
  const timer = setTimeout(() => stream.destroy(), milliseconds);
  await stream.dump({ limit: bytes, signal }).catch(() => {});
  clearTimeout(timer);
}

function toOutboundFailure(
  { url }: OutboundCall,
  within: number,
  signal: AbortSignal,
  error: unknown,
): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const { host } = new URL(url);
  const { code, message } = error as NodeJS.ErrnoException;
  // Who waits too long for a turn gets an error of the ledger's.
  if (signal.aborted || TIMEOUT_CODES.includes(code) || error instanceof LedgerError) {
    return new OutboundFailure('late', `${host} did not answer within ${within} ms`, 'ETIMEDOUT');
  }
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return new OutboundFailure('oversized', `The answer of ${host} is larger than ${outboundLimits.answer} bytes`);
  }
  if (error instanceof errors.InvalidArgumentError) return new OutboundFailure('impossible', message);
  if (code === SLOW_HANDSHAKE) return new OutboundFailure('unreachable', `${host}: ${message}`, code);
  if (code === NO_TLS || code?.startsWith('ERR_SSL_')) {
    return new OutboundFailure(
      'unreachable',
      `${host}: no handshake of TLS 1.3, or 1.2 with ECDHE: ${message}`,
      NO_TLS,
    );
  }
  return new OutboundFailure('unreachable', `${host}: ${message}`, code);
}
