import { isInDomain, type Ledger } from '../ledgers/ledger.js';

/**
 * Whether effects of one domain reach a bridge of another: those at large reach every bridge, and those in a domain the
 * bridges at large, in their own domain, above it and below it (docs/interface/domains.md). For all others the bridge counts
 * as missing: what the administrator of a domain decides ends at the domain's border.
 *
 * @param effectDomain absent for an effect at large
 * @param bridgeDomain absent for a bridge at large
 */
export function mayUseBridge(
  ledger: Pick<Ledger, 'domains'>,
  effectDomain: string | undefined,
  bridgeDomain: string | undefined,
): boolean {
  if (effectDomain === undefined) return true;
  return isInDomain(ledger, effectDomain, bridgeDomain) || isInDomain(ledger, bridgeDomain, effectDomain);
}

/**
 * The domains whose effects reach a bridge, beside the effects at large, which reach every bridge.
 *
 * @param bridgeDomain absent for a bridge at large
 * @returns their handles; null where effects of any domain reach it
 */
export function listDomainsReaching(
  ledger: Pick<Ledger, 'domains'>,
  bridgeDomain: string | undefined,
): readonly string[] | null {
  if (bridgeDomain === undefined) return null;
  return [...ledger.domains.keys()].filter((one) => mayUseBridge(ledger, one, bridgeDomain));
}
