import { LedgerError } from '@countersign/protocol';
import { instantOf } from '../base/instant.js';
import type { Service } from '../ledgers/service.js';
import { limits } from '../limits.js';
import type { SentProof } from './sent-record.js';

/** Characters of a moment that a refusal repeats. */
const LONGEST_SHOWN = 40;

/**
 * Holds `custom.moment` of proofs to what readers take it for: when the proof was made (interface/proofs#a-proof-counts-for-one-record).
 *
 * @param customs of proofs as sent; a proof may leave its moment out
 * @throws `record.invalid` for text that is no ISO 8601 date, and for a moment that is well ahead of the server's clock
 */
export function assertMoments({ runtime }: Pick<Service, 'runtime'>, customs: readonly SentProof['custom'][]): void {
  for (const custom of customs) {
    const sent = custom?.moment;
    if (typeof sent !== 'string') continue;
    const instant = instantOf(sent);
    if (instant === undefined) {
      throw new LedgerError(
        'record.invalid',
        `Moment in the proof must be an ISO 8601 date: '${sent.slice(0, LONGEST_SHOWN)}'`,
      );
    }
    if (Date.parse(instant) > runtime.now() + limits.momentAhead * 60_000) {
      const detail = `Moment in the proof is more than ${limits.momentAhead} minutes ahead of the server's clock: '${sent}'`;
      throw new LedgerError('record.invalid', detail);
    }
  }
}
