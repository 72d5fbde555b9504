import { domainOf, type JsonObject, LedgerError } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import { type ClientProofs, customsOf } from './proofs.js';
import type { Parent } from './stored.js';

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
function findNamedDomain(proofs: ClientProofs): string | undefined {
  return customsOf(proofs).find((custom) => custom?.domain !== undefined)?.domain;
}

/** The domain that the suffix of a handle names, where the ledger's configuration allows it. */
function domainOfHandle({ config }: Ledger, { handle }: JsonObject): string | undefined {
  if (config['domain.resolutionFromHandleEnabled'] === false) return undefined;
  return typeof handle === 'string' ? domainOf(handle) : undefined;
}

/**
 * @throws `record.relation-not-found` when the domain a record would join does not exist
 *   (interface/domains#which-domain-a-record-is-in); `record.invalid` when a proof names another domain than that of
 *   the record it lies under
 */
export function assertDomain(
  ledger: Ledger,
  kind: Kind,
  domain: string | undefined,
  handle: string,
  proofs: ClientProofs,
): void {
  if (ledger.domains.size === 0) return;
  const named = findNamedDomain(proofs) ?? domain;
  if (named !== undefined && !ledger.domains.has(named)) {
    throw new LedgerError(
      'record.relation-not-found',
      `Trying to set a domain which doesn't exist "${named}" to the record "${handle}"`,
      { domain: named },
    );
  }
  if (named !== domain) {
    throw new LedgerError(
      'record.invalid',
      `Domain in the request does not match the domain of the ${kind.links.under?.kind}`,
    );
  }
}

/**
 * The place that the handle of a new record belongs to, where that differs from the record's domain. It is the domain
 * that the suffix names, the nearest existing one of several parts; a handle whose suffixes are all unknown, or
 * missing, belongs outside every domain.
 *
 * Rules and records name others by handle, even before the named record exists. So the right to create in one domain
 * must not suffice to take a name that was given rights elsewhere.
 *
 * @returns undefined where the name belongs to the record's domain, and for a plain handle of a kind with `freeNames`
 */
export function placeOfName(
  ledger: Ledger,
  { access: { freeNames = false } }: Kind,
  { handle }: JsonObject,
  domain: string | undefined,
): { readonly domain?: string } | undefined {
  if (ledger.domains.size === 0 || typeof handle !== 'string') return undefined;
  const parts = handle.split('@').slice(1);
  if (parts.length === 0) return domain === undefined || freeNames ? undefined : {};
  const suffixes = parts.map((_, index) => parts.slice(index).join('@'));
  const place = suffixes.find((suffix) => ledger.domains.has(suffix));
  if (place === domain) return undefined;
  return place === undefined ? {} : { domain: place };
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
