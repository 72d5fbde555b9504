import type { JsonObject, StoredProof, Suite } from '@countersign/protocol';
import { moment, type Runtime } from '../base/clock.js';
import type { Countersigner } from '../keys/countersigner.js';
import { limits } from '../limits.js';
import type { DueDelivery, Settlement } from '../store/outbox/deliveries.js';
import type { Outcome } from './outcome.js';
import { deliveryData, deliveryHash } from './record.js';

/** The outcomes that proofs of a delivery tell of. */
type ProvenOutcome = Exclude<Outcome, { kind: 'withdrawn' }>;

/** What signs and dates the outcome of an attempt. */
export interface SettleMeans {
  readonly ledger: number;
  readonly system: Countersigner;
  readonly runtime: Runtime;
  readonly suite: Suite;
}

/**
 * What is stored of an attempt: the proofs of its outcome, and when the next one is due
 * (interface/effects#attempts). After the last attempt a second proof says that it was given up, and why.
 */
export function settleAttempt(means: SettleMeans, delivery: DueDelivery, outcome: ProvenOutcome): Settlement {
  const { ledger, system, runtime, suite } = means;
  const now = moment(runtime);
  const isAttempt = outcome.kind !== 'unwanted';
  const attempts = delivery.attempts + Number(isAttempt);
  const tries = delivery.tries + Number(isAttempt);
  const ended = endOf(outcome, tries);
  const hash = deliveryHash(deliveryData(delivery), suite);
  const prove = (custom: JsonObject) => system.stored(hash, sortKeys({ ...custom, moment: now }));
  const proofs: StoredProof[] = [];
  if (outcome.kind === 'delivered') proofs.push(prove({ status: 'delivered', detail: outcome.detail }));
  if (outcome.kind === 'failed') {
    const { reason, detail, body } = outcome;
    // The last failure of a call shows what was answered (interface/bridges#failures).
    const shown = ended && detail && body !== undefined ? { ...detail, body: shorten(body) } : detail;
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
    ...(status === 'failed' ? { due: new Date(Date.parse(now) + retryDelay(tries)) } : {}),
    proofs: isUnsigned(outcome) ? '' : proofs.map((proof) => JSON.stringify(proof)).join(','),
  };
}

/** The beginning of what was answered; of nothing, an empty object. */
function shorten(body: string): string {
  // Half of a pair of surrogates has no place in UTF-8.
  return body === '' ? '{}' : Buffer.from(body.slice(0, limits.deliveries.shown)).toString();
}

/** Whether nothing is to be signed: what the row says is not what the ledger queued. */
function isUnsigned(outcome: ProvenOutcome): boolean {
  return outcome.kind === 'failed' && outcome.isUnsigned === true;
}

/** Why no further attempt is made; undefined while one is due, or after success. */
function endOf(outcome: ProvenOutcome, tries: number): string | undefined {
  if (outcome.kind === 'unwanted') return 'delivery.permanent-failure';
  if (outcome.kind === 'delivered' || tries < outcome.attempts) return undefined;
  return outcome.attempts === 1 ? 'delivery.permanent-failure' : 'delivery.retry-cap-exhausted';
}

/** Milliseconds until the attempt after `tries` failed ones: 1 s, and a fifth more each time. */
export function retryDelay(tries: number): number {
  const { first, factor, greatest } = limits.deliveries.retry;
  return Math.min(greatest, Math.round(first * factor ** (tries - 1)));
}

function sortKeys(custom: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(custom).sort(([one], [other]) => (one < other ? -1 : 1)));
}
