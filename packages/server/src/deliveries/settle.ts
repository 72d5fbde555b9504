import type { JsonObject, StoredProof, Suite } from '@countersign/protocol';
import { moment, type Runtime } from '../base/clock.js';
import type { Countersigner } from '../keys/countersigner.js';
import type { DueDelivery } from '../store/outbox/deliveries.js';
import { retryLimits } from '../store/outbox/outbox-limits.js';
import type { DeliveryState, ReceiverLesson } from '../store/outbox/settle-deliveries.js';
import { deliveryLimits } from './delivery-limits.js';
import type { AttemptOutcome } from './outcome.js';
import { deliveryData, deliveryHash } from './record.js';
import { retryDelay } from './retry-delays.js';

/** The outcomes that proofs of a delivery tell of. */
type ProvenOutcome = Exclude<AttemptOutcome, { kind: 'withdrawn' | 'put-off' }>;

/** What signs and dates the outcome of an attempt. */
export interface SettleDeps {
  readonly ledger: number;
  readonly system: Countersigner;
  readonly runtime: Runtime;
  readonly suite: Suite;
  /** Milliseconds for which further attempts are made. */
  readonly retryFor: number;
}

/**
 * What is stored of an attempt: the proofs of its outcome, and when the next one is due
 * (interface/effects#attempts). After the last attempt a second proof says that it was given up, and why. One that failed as
 * often as its schedule says is set aside for further attempts.
 */
export function settleAttempt(deps: SettleDeps, delivery: DueDelivery, outcome: ProvenOutcome): DeliveryState {
  const { ledger, system, runtime, suite } = deps;
  const now = moment(runtime);
  const isAttempt = outcome.kind === 'delivered' || outcome.kind === 'failed';
  const attempts = delivery.attempts + Number(isAttempt);
  const tries = delivery.tries + Number(isAttempt);
  const isExhausted = outcome.kind === 'failed' && (delivery.aside !== null || tries >= outcome.attempts);
  const ended = reasonToEnd(deps, outcome, { attempts, isExhausted });
  const hash = deliveryHash(deliveryData(delivery), suite);
  const prove = (custom: JsonObject) => system.stored(hash, sortKeys({ ...custom, moment: now }));
  const proofs: StoredProof[] = [];
  if (outcome.kind === 'delivered') proofs.push(prove({ status: 'delivered', detail: outcome.detail }));
  if (outcome.kind === 'failed') {
    const { reason, detail, body } = outcome;
    // The last failure of a call shows what was answered (interface/bridges#failures).
    const isLast = isExhausted && (ended !== undefined || delivery.aside === null);
    const shown = isLast && detail && body !== undefined ? { ...detail, body: truncateAnswer(body) } : detail;
    proofs.push(prove({ status: 'failed', reason, ...(shown ? { detail: shown } : {}) }));
  }
  if (ended) proofs.push(prove({ status: 'cancelled', reason: ended }));
  const status = ended ? 'cancelled' : outcome.kind === 'delivered' ? 'delivered' : 'failed';
  return {
    ledger,
    handle: delivery.handle,
    before: delivery.attempts,
    attempts,
    tries,
    status,
    attempted: new Date(now),
    ...(status === 'failed' ? nextOf(delivery, isExhausted, tries, new Date(now)) : {}),
    ...lessonOf(deps, delivery, outcome),
    proofs: isUnsigned(outcome) ? '' : proofs.map((proof) => JSON.stringify(proof)).join(','),
  };
}

/** The beginning of what was answered; of nothing, an empty object. */
function truncateAnswer(body: string): string {
  // A lone surrogate cannot be written as UTF-8.
  return body === '' ? '{}' : Buffer.from(body.slice(0, deliveryLimits.shown)).toString();
}

/** Whether nothing is to be signed: what the row says is not what the ledger queued. */
function isUnsigned(outcome: ProvenOutcome): boolean {
  return outcome.kind === 'failed' && outcome.isUnsigned === true;
}

/** Why no further attempt is made; undefined while there may be one, or after success. */
function reasonToEnd(
  { retryFor }: SettleDeps,
  outcome: ProvenOutcome,
  { attempts, isExhausted }: { readonly attempts: number; readonly isExhausted: boolean },
): string | undefined {
  if (outcome.kind === 'unwanted') return 'delivery.permanent-failure';
  if (outcome.kind === 'expired') return 'delivery.retry-cap-exhausted';
  if (outcome.kind === 'delivered' || !isExhausted) return undefined;
  if (outcome.attempts === 1) return 'delivery.permanent-failure';
  const isOver = retryFor === 0 || isUnsigned(outcome) || attempts >= retryLimits.attempts;
  return isOver ? 'delivery.retry-cap-exhausted' : undefined;
}

/** When the next attempt is due, or since when the delivery waits to be taken up. */
function nextOf(
  { aside }: DueDelivery,
  isExhausted: boolean,
  tries: number,
  now: Date,
): Pick<DeliveryState, 'due' | 'aside'> {
  return isExhausted ? { aside: aside ?? now } : { due: new Date(now.getTime() + retryDelay(tries)) };
}

/**
 * What an attempt tells of its receiver: failures, successes after them, and what became of deliveries that were taken up. One
 * whose time is over tells nothing.
 */
function lessonOf(
  { retryFor }: SettleDeps,
  { aside, failures }: DueDelivery,
  outcome: ProvenOutcome,
): { readonly lesson?: ReceiverLesson } {
  const isFurther = aside !== null;
  if (outcome.kind === 'expired') return {};
  if (outcome.kind === 'unwanted') return isFurther ? { lesson: { isFurther } } : {};
  // A receiver that wants no more of this delivery was reached, and may take the next one.
  const succeeded = outcome.kind === 'delivered' || outcome.attempts === 1;
  const counts = retryFor > 0 && (!succeeded || failures > 0);
  return isFurther || counts ? { lesson: { isFurther, succeeded } } : {};
}

function sortKeys(custom: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(custom).sort(([one], [other]) => (one < other ? -1 : 1)));
}
