import { type Json, LedgerError } from '@countersign/protocol';
import { instantOf } from '../base/instant.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { recordLimits } from './record-limits.js';
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
    if (Date.parse(instant) > runtime.now() + recordLimits.momentAhead * 60_000) {
      const detail = `Moment in the proof is more than ${recordLimits.momentAhead} minutes ahead of the server's clock: '${sent}'`;
      throw new LedgerError('record.invalid', detail);
    }
  }
}

/**
 * Holds proofs to the purpose their signer gave them: `custom.ledger` names a ledger by handle or luid, `custom.record`
 * a kind of record. A proof that gives neither counts for every record with the same hash.
 *
 * @param ledger a new one still lacks its luid
 * @throws `record.invalid` for a proof that was meant for another ledger or another kind
 */
export function assertProofBinding(
  { handle, luid }: Pick<Ledger, 'handle'> & Partial<Pick<Ledger, 'luid'>>,
  kind: Kind,
  customs: readonly SentProof['custom'][],
): void {
  for (const custom of customs) {
    const ledger: Json | undefined = custom?.ledger;
    if (ledger !== undefined && ledger !== handle && ledger !== luid) {
      throw new LedgerError('record.invalid', 'Ledger in the proof does not match the ledger of the request');
    }
    if (custom?.record !== undefined && custom.record !== kind.name) {
      throw new LedgerError('record.invalid', 'Record in the proof does not match the record of the request');
    }
  }
}

/**
 * Holds what a client signs to the ledger, where that asks for it by `config["proof.ledgerRequired"]`: a proof that names no
 * ledger counts in each where its key has rights (interface/proofs#sign-for-which-ledger-and-which-kind).
 *
 * @param customs of signed proofs; what is left to a token names the ledger by that
 * @throws `record.invalid` for a proof without `custom.ledger`
 */
export function assertNamesLedger({ config }: Pick<Ledger, 'config'>, customs: readonly SentProof['custom'][]): void {
  if (config['proof.ledgerRequired'] !== true) return;
  if (customs.every((custom) => custom?.ledger !== undefined)) return;
  throw new LedgerError(
    'record.invalid',
    'Proof does not name the ledger: sign custom.ledger, which config["proof.ledgerRequired"] asks for',
  );
}

export function tooManyProofs({ recordProofs }: Service): LedgerError {
  return new LedgerError('record.invalid', `Record proofs limit of ${recordProofs} exceeded`);
}

/**
 * @throws `record.invalid` when a record would carry too many proofs, those of the ledger counted
 *   (interface/records#add-a-proof, interface/limits)
 */
export function assertProofs(service: Service, proofs: readonly unknown[]): void {
  if (proofs.length > service.recordProofs) throw tooManyProofs(service);
}
