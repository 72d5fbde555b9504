import { LedgerError } from '@countersign/protocol';
import { assertSignature, callerOfWrite } from '../../authorization/caller.js';
import { Overloaded } from '../../base/gather.js';
import { refuseKeyless } from '../../keys/countersigner.js';
import type { Kind } from '../../kinds/kind.js';
import { inSession, OutOfDate, proofReused, type Session } from '../../ledgers/session.js';
import { LedgerSuspended } from '../../ledgers/suspension.js';
import type { Answer, Command } from '../../records/command.js';
import { usesOfProofs } from '../../records/proofs.js';
import { getRecord } from '../../records/stored-record.js';
import type { RetryOutcome, RetryRequest } from '../../store/outbox/delivery-retries.js';
import { addHash, retryBody } from '../bodies.js';
import { type Operation, SIGNED } from '../operation.js';
import { verifySignedBody } from '../verify-signed-body.js';
import { authorizeDeliveries, hasDeliveries, parseDeliveryHandle } from './scope.js';

/** Minutes since the last attempt of a delivery: unless given, and at most. */
const MAX_AGE = { default: 60, greatest: 48 * 60 };

const MILLISECONDS_PER_MINUTE = 60_000;

/**
 * Sends deliveries again that failed or wait (interface/effects#retry). It is answered 202 once the request is stored; a
 * worker does the rest (deliveries/retries.ts).
 *
 * @param action what rules must grant
 */
// biome-ignore format: what each step refuses stands beside it
export async function performRetry(
  session: Session,
  kind: Kind,
  command: Command,
  action: 'retry-event' | 'activate',
): Promise<Answer> {
  const { body, token } = command;
  const sent = retryBody(addHash(session, body, token));                        // record.schema-invalid
  const signed = await verifySignedBody(session, kind, sent, token);            // crypto.hash-invalid, crypto.signature-missing, crypto.signature-invalid, record.invalid
  const { maxAge, handle } = sent.data as { readonly maxAge?: number; readonly handle?: string };
  return inSession(session, async (session) => {
    const stored = await getRecord(session, kind, command);                     // record.not-found
    const caller = await callerOfWrite(session, signed.proofs.signed, token, false);
    assertSignature(signed, caller);                                            // crypto.signature-missing
    const scope = await authorizeDeliveries(session, kind, stored, caller, action); // auth.unauthorized, auth.forbidden
    const now = new Date(session.runtime.now());
    const proofs = usesOfProofs(session, signed.proofs);
    const veiled = proofs.map(session.ledger.veil);
    const retry = { ...scope, version: session.ledger.version, proofs, veiled, now };
    const { isReadOnly, suspension } = session.ledger;
    if (isReadOnly) throw refuseKeyless();                                      // record.invalid
    if (suspension) {
      // One that was stored before is answered as ever.
      if (await wasStored(session, retry)) return { status: 202, stored: 'before' };
      throw new LedgerSuspended(suspension);                                    // auth.forbidden
    }
    const isRepeat = await (handle === undefined
      ? requestRetry(session, retry, maxAge)                                    // record.invalid
      : resendOne(session, retry, handle));                                     // record.not-found, record.invalid
    return { status: 202, ...(isRepeat ? { stored: 'before' } : {}) };
  });
}

/** Whether the proofs of a request were used for this very record before, so the request was stored. */
async function wasStored({ store, ledger }: Session, { luid, proofs, veiled }: RetryRequest): Promise<boolean> {
  const used = await store.usedProofs({ ledger: ledger.id, proofs, veiled });
  return used.length > 0 && used.every((other) => other === luid);
}

/** Stores a request for all deliveries that are not too old, which may be many. @returns whether it was stored before */
async function requestRetry(
  { store, retriesQueued }: Session,
  retry: RetryRequest,
  maxAge: number = MAX_AGE.default,
): Promise<boolean> {
  const minutes = Math.min(maxAge, MAX_AGE.greatest);
  const since = new Date(retry.now.getTime() - minutes * MILLISECONDS_PER_MINUTE);
  const stored = await store.retries.request({ ...retry, ...(minutes === 0 ? {} : { since }) });
  assertRetryStored(stored);
  retriesQueued();
  return stored.outcome === 'repeated';
}

/** @returns whether the request was stored before @throws `record.not-found` unless it is a delivery of the record */
async function resendOne(session: Session, retry: RetryRequest, id: string): Promise<boolean> {
  const { store, ledger, deliveriesQueued } = session;
  const handle = parseDeliveryHandle(id);
  const stored = handle === undefined ? undefined : await store.retries.resend({ ...retry, handle });
  if (!stored || stored.outcome === 'missing') {
    throw new LedgerError('record.not-found', `Event '${id}' not found on ledger '${ledger.handle}'`);
  }
  assertRetryStored(stored);
  deliveriesQueued();
  return stored.outcome === 'repeated';
}

/**
 * @throws OutOfDate when the state it was decided on has changed; `record.invalid` when a proof was used for another record;
 *   Overloaded when as many requests wait as may
 */
function assertRetryStored({ outcome, version }: { readonly outcome: RetryOutcome; readonly version: number }): void {
  if (outcome === 'stale') throw new OutOfDate(version);
  if (outcome === 'reused') throw proofReused();
  if (outcome === 'full') throw new Overloaded('The greatest number of retries of these deliveries is waiting.');
}

/** The operation `retry`: `POST /effects/{id}/events/retry`. */
export const retryEvents: Operation = {
  name: 'retry',
  isOf: hasDeliveries,
  routes: () => [{ method: 'POST', of: 'record', path: '/events/retry' }],
  perform: (session, kind, command) => performRetry(session, kind, command, 'retry-event'),
  refusals: { always: [...SIGNED, 'record.not-found'] },
  description: {
    id: (one) => `retry${one}Events`,
    summary: (one) => `Send deliveries of ${one} again that failed or wait`,
    body: () => 'retry',
    answers: () => ({ 202: { text: 'They will be sent again. No body, and no content type.' } }),
  },
};
