import type { Json, JsonObject } from '@countersign/protocol';
import type { Bridge } from '../../bridges/bridge.js';
import { callBridge } from '../../bridges/call.js';
import { BridgeSecurityError } from '../../bridges/security.js';
import type { Session } from '../../ledgers/session.js';
import { type OutboundAnswer, OutboundFailure } from '../../outbound/outbound.js';
import { outboundLimits } from '../../outbound/outbound-limits.js';
import { invalidAnswer, type LookupTrait, NoAnswer } from './invalid-answer.js';

/** A call of a bridge. Its headers hold tokens: keep it out of logs. */
export interface LookupCall {
  readonly bridge: Bridge;
  readonly trait: LookupTrait;
  readonly method: 'GET' | 'POST';
  /** Below `config.server`. */
  readonly path: string;
  /** Beside those of the security rules, which take their place. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

/** Headers that the ledger alone sets, beside those that it keeps of every call. */
const OF_LEDGER: readonly string[] = ['via', 'accept-encoding', 'x-ledger-authorization'];

/**
 * Asks a bridge, outside of every session.
 *
 * @throws NoAnswer when there is none, or no call could be made; `bridge.proxy-response-invalid` for an answer larger than
 *   any may be; Overloaded
 */
export async function sendLookup(
  session: Session,
  { bridge, trait, method, path, headers, body }: LookupCall,
): Promise<OutboundAnswer> {
  const within = Math.floor(session.requestTimeout * outboundLimits.share);
  const call = { method, path, headers, own: OF_LEDGER, within };
  try {
    const sent = body === undefined ? {} : { body: JSON.stringify(body as Json) };
    return await callBridge(session, session.ledger, bridge, { ...call, ...sent });
  } catch (error) {
    if (error instanceof OutboundFailure && error.kind === 'oversized') throw invalidAnswer(trait);
    if (error instanceof OutboundFailure || error instanceof BridgeSecurityError) throw new NoAnswer(trait, error);
    throw error;
  }
}
