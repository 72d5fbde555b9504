import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import type { Metric } from './plan.js';

/** What a claim names: a wallet by its address, or a symbol by its handle. */
export interface AddressObject {
  readonly handle: string;
  readonly custom?: JsonObject;
}

interface AnyClaim {
  readonly symbol: AddressObject;
  readonly amount: number;
  readonly custom?: JsonObject;
}

export interface IssueClaim extends AnyClaim {
  readonly action: 'issue';
  readonly target: AddressObject;
}

export interface TransferClaim extends AnyClaim {
  readonly action: 'transfer';
  readonly source: AddressObject;
  readonly target: AddressObject;
}

export interface DestroyClaim extends AnyClaim {
  readonly action: 'destroy';
  readonly source: AddressObject;
}

export interface BoundClaim extends AnyClaim {
  readonly action: 'limit';
  readonly wallet: AddressObject;
  readonly metric: Metric;
}

/** A claim in its object form (interface/intents#claims). */
export type Claim = IssueClaim | TransferClaim | DestroyClaim | BoundClaim;

/** The members of a claim that older clients send as a handle alone. */
const NAMED: ReadonlySet<string> = new Set(['source', 'target', 'wallet', 'symbol']);

/**
 * The claims of an intent in their object form: `"alice"` means `{"handle": "alice"}` (interface/intents#claims).
 *
 * @param data of an intent, which had its shape when it was stored
 */
export function normalizeClaims({ claims }: JsonObject): readonly Claim[] {
  return Array.isArray(claims) ? claims.filter(isObject).map(toObjectForm) : [];
}

/** One that has the object form already is returned as it is. */
function toObjectForm(claim: JsonObject): Claim {
  const members = Object.entries(claim);
  if (!members.some(isHandleMember)) return claim as unknown as Claim;
  const full = members.map((member) => (isHandleMember(member) ? [member[0], { handle: member[1] }] : member));
  return Object.fromEntries(full) as Claim;
}

function isHandleMember([name, value]: readonly [string, Json | undefined]): boolean {
  return typeof value === 'string' && NAMED.has(name);
}

/** The addresses of all wallets that a claim names. */
export function walletAddressesOf(claim: Claim): readonly string[] {
  switch (claim.action) {
    case 'issue':
      return [claim.target.handle];
    case 'transfer':
      return [claim.source.handle, claim.target.handle];
    case 'destroy':
      return [claim.source.handle];
    case 'limit':
      return [claim.wallet.handle];
  }
}
