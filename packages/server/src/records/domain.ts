import { domainOf, type JsonObject, LedgerError } from '@countersign/protocol';
import type { Ledger } from '../ledgers/ledger.js';
import { type ClientProofs, customsOf } from './proofs.js';

/**
 * The domain a new record joins: the one a proof names, else the suffix of its handle. Decided once, at creation
 * (contract 02 §2.2).
 *
 * @returns nothing for a record outside every domain, and on a ledger that has no domain yet
 */
export function joinedDomain(ledger: Ledger, data: JsonObject, proofs: ClientProofs): string | undefined {
  if (ledger.domains.size === 0) return undefined;
  const named = customsOf(proofs).find((custom) => custom?.domain !== undefined)?.domain;
  if (named !== undefined) return named;
  if (ledger.config['domain.resolutionFromHandleEnabled'] === false) return undefined;
  return typeof data.handle === 'string' ? domainOf(data.handle) : undefined;
}

/** @throws `record.relation-not-found` when the domain a record would join does not exist (contract 02 §2.2) */
export function assertDomain(ledger: Ledger, domain: string | undefined, handle: string): void {
  if (domain === undefined || ledger.domains.has(domain)) return;
  throw new LedgerError(
    'record.relation-not-found',
    `Trying to set a domain which doesn't exist "${domain}" to the record "${handle}"`,
    { domain },
  );
}
