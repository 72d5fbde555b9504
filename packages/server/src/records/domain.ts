import { domainOf, type JsonObject, LedgerError } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import { type ClientProofs, customsOf } from './proofs.js';
import type { Parent } from './stored-record.js';

/**
 * The domain a new record joins: that of the record it lies under, where its kind says so; else the one a proof names,
 * else the suffix of its handle. Fixed at creation (interface/domains#which-domain-a-record-is-in).
 *
 * @returns undefined for a record outside every domain, and on a ledger that has none
 */
export function resolveDomain(
  ledger: Ledger,
  kind: Kind,
  data: JsonObject,
  proofs: ClientProofs,
  parent?: Parent,
): string | undefined {
  if (ledger.domains.size === 0) return undefined;
  if (kind.links.inParentsDomain) return parent?.record.meta.domain;
  return findNamedDomain(proofs) ?? domainOfHandle(ledger, data);
}

/** The domain that a proof names. */
export function findNamedDomain(proofs: ClientProofs): string | undefined {
  return customsOf(proofs).find((custom) => custom?.domain !== undefined)?.domain;
}

/** The domain that the suffix of a handle names, where the ledger's configuration allows it. */
function domainOfHandle({ config }: Ledger, { handle }: JsonObject): string | undefined {
  if (config['domain.resolutionFromHandleEnabled'] === false) return undefined;
  return typeof handle === 'string' ? domainOf(handle) : undefined;
}

/**
 * @throws `record.update-rejected` when the suffix of a new handle names a domain other than the record's, which is
 *   fixed
 */
export function assertNamedWithin(
  ledger: Ledger,
  kind: Kind,
  previous: JsonObject,
  data: JsonObject,
  domain: string | undefined,
): void {
  if (ledger.domains.size === 0) return;
  const named = domainOfHandle(ledger, data);
  if (named === undefined || named === domain) return;
  const detail = `Cannot change handle of ${kind.name} '${previous.handle}' to one of domain '${named}'`;
  throw new LedgerError('record.update-rejected', detail);
}
