import type { JsonObject } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { ClientSignature } from '../authorization/caller.js';
import { clientTrail } from '../authorization/trail.js';
import { moment } from '../base/clock.js';
import type { Session } from '../ledgers/session.js';
import type { Answer } from '../records/command.js';
import type { SentDrop } from '../records/sent-record.js';
import { successOf } from './answer.js';
import { answerWriteFromBridge } from './answer-from-bridge.js';
import { askBridge, bridgePath, type Forwarding } from './call.js';
import { BridgeRefusal } from './error.js';
import { aspectOf, type ForwardingTarget } from './target.js';
import { asSent } from './version.js';

/**
 * Asks a bridge to drop a record (interface/forwarding). Where the ledger has the record too, `record.not-found` from
 * the bridge counts as done: the answer to an earlier drop was lost (interface/records#sending-a-request-again). For a
 * record that the bridge alone keeps, it is passed on like any other refusal.
 *
 * @throws BridgeRefusal, and what `askBridge` and `successOf` throw
 */
export async function forwardDrop(
  session: Session,
  forwarding: Forwarding,
  target: ForwardingTarget,
  { data, luid }: SentDrop,
  signed: ClientSignature,
  caller: Caller,
): Promise<void> {
  const { kind } = forwarding;
  const { hash } = signed;
  const { id } = target;
  const aspect = aspectOf(target);
  const answer = await askBridge(session, forwarding, aspect, async () => {
    const now = moment(session.runtime);
    const trail = await clientTrail(session, kind, signed, caller, now);
    const proofs = [
      ...asSent(session.ledger, trail),
      session.ledger.system.fresh(hash, { moment: now, status: 'dropped' }),
    ] as JsonObject[];
    return { method: 'DELETE', path: bridgePath(kind, id), body: { data, hash, luid, meta: { proofs } } };
  });
  try {
    successOf(session, aspect.bridge, answer);
  } catch (error) {
    if (target.proxied || !isMissing(error)) throw error;
  }
}

/**
 * Asks a bridge to drop a record that it alone keeps.
 *
 * @returns 204
 * @throws what `forwardDrop` throws
 */
export function answerDrop(
  session: Session,
  forwarding: Forwarding,
  target: ForwardingTarget,
  sent: SentDrop,
  signed: ClientSignature,
  caller: Caller,
): Promise<Answer> {
  return answerWriteFromBridge(session, forwarding, async (current) => {
    await forwardDrop(current, forwarding, target, sent, signed, caller);
    return { status: 204, stored: 'elsewhere' };
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof BridgeRefusal && error.status === 404 && error.data.reason === 'record.not-found';
}
