import type pg from 'pg';
import { callOf, rowsOf, textArray } from '../parameters.js';
import { readSql } from '../sql.js';
import { furtherLimits } from './outbox-limits.js';

/** How a delivery stands after an attempt. */
export interface DeliveryState {
  readonly ledger: number;
  readonly handle: string;
  /** Attempts before it: a row that has changed since then is left alone (optimistic concurrency). */
  readonly before: number;
  readonly attempts: number;
  readonly tries: number;
  readonly status: 'delivered' | 'failed' | 'cancelled';
  readonly attempted: Date;
  /** When the next attempt is due; absent after the last, and for one that is set aside. */
  readonly due?: Date;
  /** Since when it is set aside. */
  readonly aside?: Date;
  /** Proofs of this attempt, as JSON, joined by commas; empty where nothing is signed. */
  readonly proofs: string;
  /** What the intent of a call that was given up is to note: it is due then. */
  readonly note?: GivenUpNote;
  /** What is learnt of the receiver; absent where there is nothing to learn. */
  readonly lesson?: ReceiverLesson;
}

/** What an attempt says of its receiver. */
export interface ReceiverLesson {
  /** Whether it took the delivery, or wants no more of it; undefined for one that is no longer wanted: nobody was called. */
  readonly succeeded?: boolean;
  /** Whether it was an attempt of a delivery that was taken up. */
  readonly isFurther: boolean;
}

/** Why a call was given up. */
export interface GivenUpNote {
  /** Luid of the intent. */
  readonly intent: string;
  readonly detail: string;
  /** Authentication code. */
  readonly mac: string;
}

const toSettled = rowsOf<DeliveryState>(readSql('deliveries_1'), 'settled_delivery_1', {
  handle: ({ handle }) => handle,
  was: ({ before }) => before,
  attempts: ({ attempts }) => attempts,
  tries: ({ tries }) => tries,
  status: ({ status }) => status,
  attempted: ({ attempted }) => attempted.toISOString(),
  due: ({ due }) => due?.toISOString(),
  aside: ({ aside }) => aside?.toISOString(),
  intent: ({ note }) => note?.intent,
  note: ({ note }) => note?.detail,
  note_mac: ({ note }) => note?.mac,
  further: ({ lesson }) => lesson?.isFurther,
  succeeded: ({ lesson }) => lesson?.succeeded,
});

/** Stores what became of attempts of one ledger (sql/deliveries_1.sql). */
export async function settleDeliveries(pool: pg.Pool, all: readonly DeliveryState[]): Promise<void> {
  if (all.length === 0) return;
  // An erasure locks those of a record in this order.
  const settlements = all.toSorted((one, other) => (one.handle < other.handle ? -1 : 1));
  const { first, greatest, rests, atOnce } = furtherLimits;
  const call = callOf('settle_deliveries_1', {
    ledger: settlements[0]!.ledger,
    settled: toSettled(settlements),
    added_proofs: textArray(settlements.map(({ proofs }) => proofs)),
    first_delay: first,
    greatest_delay: greatest,
    rests,
    at_once: atOnce,
  });
  await pool.query(call);
}
