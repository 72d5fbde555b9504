import type { JsonObject } from '@countersign/protocol';
import { OutboundFailure } from '../outbound/outbound.js';
import { SLOW_HANDSHAKE } from '../outbound/trials.js';
import { ATTEMPTS } from './retry-delays.js';

/** What became of an attempt (interface/effects#attempts). */
export type AttemptOutcome =
  | { readonly kind: 'delivered'; readonly detail: JsonObject }
  | {
      readonly kind: 'failed';
      readonly reason: 'delivery.target-rejected' | 'delivery.target-unreachable' | 'delivery.unexpected-error';
      readonly detail?: JsonObject;
      /** Attempts after which it is given up; 1 where the receiver asked for no more. */
      readonly attempts: number;
      /** What operators are told; it may name addresses inside the network. */
      readonly error?: unknown;
      /** What the receiver answered with, where the last failure tells of it. */
      readonly body?: string;
      /** What the intent of a call is told when it is given up, in place of what the detail says. */
      readonly note?: string;
      /** Whether the row is not what the ledger queued: no proof says anything of it. */
      readonly isUnsigned?: true;
    }
  /** Its effect was dropped or is out of use, or its bridge has lost the trait for it since the first attempt. */
  | { readonly kind: 'unwanted' }
  /** It was set aside, and the time for further attempts is over. */
  | { readonly kind: 'expired' }
  /** The process makes no call to the receiver for so many milliseconds: that is no attempt. */
  | { readonly kind: 'put-off'; readonly milliseconds: number }
  /** Its bridge lacks the trait for it: the delivery is deleted. */
  | { readonly kind: 'withdrawn' };

/** The status by which a receiver ends the delivery: it is given up at once. */
const NOT_WANTED = 501;

/**
 * The outcome of an answer: redirects are not followed, so they count as refusals.
 *
 * @param body that a last failure is to tell of; absent where only the status counts
 */
export function outcomeOfStatus(status: number, body?: string): AttemptOutcome {
  const detail = { httpStatus: status };
  if (status >= 200 && status < 300) return { kind: 'delivered', detail };
  const attempts = status === NOT_WANTED ? 1 : ATTEMPTS.rejected;
  return {
    kind: 'failed',
    reason: 'delivery.target-rejected',
    detail,
    attempts,
    body,
  };
}

/** The outcome of a call that brought no answer, or of an error before it. */
export function outcomeOfError(error: unknown, url?: string): AttemptOutcome & { readonly kind: 'failed' } {
  const { rejected, unreachable } = ATTEMPTS;
  if (!(error instanceof OutboundFailure) || error.kind === 'impossible' || error.kind === 'unauthorized' || !url) {
    return { kind: 'failed', reason: 'delivery.unexpected-error', attempts: rejected, error };
  }
  const detail = describeFailure(error, new URL(url).hostname);
  return { kind: 'failed', reason: 'delivery.target-unreachable', detail, attempts: unreachable, error };
}

/** The outcome where the bridge that the effect names is missing. */
export function outcomeOfMissingBridge(bridge: string): AttemptOutcome {
  const detail = { reason: 'core.unexpected-error', message: `Bridge ${bridge} not found` };
  const attempts = ATTEMPTS.unreachable;
  return { kind: 'failed', reason: 'delivery.unexpected-error', detail, attempts };
}

/** Error codes of the name lookup, which comes before a connection. */
const LOOKUP_CODES = ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'];

/** What proofs say of a failure: the code, and the host as the effect names it. Addresses that it leads to stay secret. */
function describeFailure({ kind, code }: OutboundFailure, host: string): JsonObject {
  if (kind === 'refused') return { code: 'EACCES', message: `${host} leads to an address that is not public` };
  if (kind === 'late') return { code: 'ETIMEDOUT', message: `${host} did not answer in time` };
  if (code === 'EPROTO') return { code, message: `${host} does not speak TLS 1.3, or 1.2 with ECDHE` };
  if (code === SLOW_HANDSHAKE) {
    return { code: 'EPROTO', message: `the certificates of ${host} take too long to verify` };
  }
  // Proofs last, so they hold codes of the system rather than of the library that makes the calls.
  const said = code === undefined || code.startsWith('UND_ERR_') ? 'ECONNRESET' : code;
  return { code: said, message: `${LOOKUP_CODES.includes(said) ? 'getaddrinfo' : 'connect'} ${said} ${host}` };
}
