import type pg from 'pg';
import { OUT_OF_USE } from '../../kinds/in-use.js';
import { queryUntil } from '../abortable.js';
import { wasReused } from '../committer/batch.js';
import { ofReachable } from '../nodes/reachable.js';
import { callOf } from '../parameters.js';
import type { DeliveryScope } from './delivery-list.js';
import { retryLimits } from './outbox-limits.js';

/** A request to send deliveries again, as the ledger decided it. */
export interface RetryRequest extends DeliveryScope {
  /** Luid of the effect or bridge, which the proofs are used for. */
  readonly luid: string;
  /** The version of the ledger's state the decision was made on. */
  readonly version: number;
  /** The client's proofs, as `identifyProof` names them, each once. */
  readonly proofs: readonly string[];
  /** The same under the master key, as those of erased records are kept. */
  readonly veiled: readonly string[];
  readonly now: Date;
}

/**
 * What became of a request. `stale`: the ledger's state has changed. `reused`: a proof was used for another record.
 * `repeated`: a proof was used for this very record before, so the request was. `full`: as many wait as may.
 */
export type RetryOutcome = 'done' | 'repeated' | 'reused' | 'stale' | 'full' | 'missing';

export interface RetryAnswer {
  readonly outcome: RetryOutcome;
  readonly version: number;
}

export type DeliveryRetries = ReturnType<typeof createDeliveryRetries>;

/** Requests to send deliveries again (sql/delivery_retries_1.sql). */
export function createDeliveryRetries(pool: pg.Pool) {
  const run = async (
    name: string,
    { ledger, version, owner, id, luid, proofs, veiled, now, domains }: RetryRequest,
    more: Readonly<Record<string, unknown>>,
  ): Promise<RetryAnswer> => {
    const call = callOf(name, { ledger, version, owner, id, luid, proofs, veiled, now, domains, ...more });
    try {
      const { rows } = await pool.query<{ outcome: RetryOutcome; version: number | null }>(call);
      const [row] = rows;
      return { outcome: row!.outcome, version: row!.version ?? 0 };
    } catch (error) {
      if (!wasReused(error)) throw error;
      return { outcome: 'reused', version };
    }
  };
  const { waiting, attempts } = retryLimits;
  return {
    /** Stores a request for those whose last attempt was at `since` or later; absent for those of any age. */
    request: ({ since, ...retry }: RetryRequest & { readonly since?: Date }): Promise<RetryAnswer> =>
      run('request_retry_1', retry, { since, waiting }),
    /** Makes one delivery due at once, whatever its age; an event that was delivered stays so, a call is made again. */
    resend: ({ handle, ...retry }: RetryRequest & { readonly handle: string }): Promise<RetryAnswer> =>
      run('resend_delivery_1', retry, { handle, most_attempts: attempts, out_of_use: OUT_OF_USE }),
  };
}

/** SQL that lists ledgers with requests (`BackgroundWorker.due`), of which a few wait. */
export const DUE_RETRIES = `select r.ledger_id, '', min(r.worked) from delivery_retry r where ${ofReachable('r.ledger_id')} group by r.ledger_id`;

/**
 * Works on the request of a ledger that has waited longest for it (sql/delivery_retries_1.sql).
 *
 * @returns deliveries that are due now; undefined when no request waits
 */
export async function resendPiece(
  pool: pg.Pool,
  ledger: number,
  now: Date,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { piece, attempts } = retryLimits;
  const bounds = { piece, most_attempts: attempts, out_of_use: OUT_OF_USE };
  const call = callOf('retry_deliveries_1', { ledger, now, ...bounds });
  const { rows } = await queryUntil<{ retry_deliveries_1: number | null }>(pool, call, signal);
  return rows[0]?.retry_deliveries_1 ?? undefined;
}
