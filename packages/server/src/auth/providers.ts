import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { tokenLifetime } from '../base/token-lifetime.js';
import { domainsFrom, type Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { readRecordText } from '../metering/task.js';

/** A value of an authentication policy (interface/policies#authentication-policies). */
export interface Provider {
  /** Handle of the signer that vouches for others. */
  readonly handle: string;
  /** `data.schema` of the signers it vouches for; absent when it vouches for all. */
  readonly target?: string;
  /** Seconds its tokens live. */
  readonly ttl: number;
  /** The domain of its policy: the provider must be a signer there or below, and vouches for such signers only. */
  readonly domain?: string;
}

/**
 * The providers that authentication policies name, oldest policy first; inactive policies are skipped
 * (interface/policies#authentication-policies).
 */
export function providersOf({ policies }: Ledger): Provider[] {
  return [...policies.values()].flatMap(({ schema, status, values, domain }) => {
    if (schema !== 'authentication' || status === 'inactive') return [];
    return (values as unknown as readonly JsonObject[]).map((value) => providerOf(value, domain));
  });
}

/**
 * Whether a provider may vouch for a signer. Where a policy in a domain names it, both must be signers there or below:
 * the right to write such a policy must give no power over signers outside the domain.
 *
 * @param domains all domains of the provider and of the signer
 */
export function vouchesFor(
  { domain }: Provider,
  domains: { readonly provider: ReadonlySet<string>; readonly signer: ReadonlySet<string> },
): boolean {
  return domain === undefined || (domains.provider.has(domain) && domains.signer.has(domain));
}

/** Handles of the domains that a signer is in, which never change; empty for an unknown signer. */
export async function domainsOfSigner({ store, task, ledger }: Session, handle: string): Promise<ReadonlySet<string>> {
  const { record } = await store.findVersion({ ledger: ledger.id, kind: 'signer', id: handle, by: 'handle' });
  return record ? domainsAbove(ledger, (await readRecordText(task, record.body)).meta.domain) : new Set();
}

/** Handles of a domain and those above it. */
export function domainsAbove(ledger: Ledger, domain: string | undefined): ReadonlySet<string> {
  return new Set(domainsFrom(ledger, domain).map(({ handle }) => handle));
}

/** Policies are validated when they are stored, so each value names its provider. */
function providerOf({ signer, target, config }: JsonObject, domain: string | undefined): Provider {
  const schema = memberOfClaims(target, 'schema');
  const ttl = memberOfClaims(config, 'jwt.ttl');
  return {
    handle: String(memberOfClaims(signer, 'handle')),
    ...(typeof schema === 'string' ? { target: schema } : {}),
    ttl: typeof ttl === 'number' ? ttl : tokenLifetime.granted,
    domain,
  };
}

function memberOfClaims(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}
