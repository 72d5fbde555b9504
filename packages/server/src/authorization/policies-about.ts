import type { JsonObject } from '@countersign/protocol';
import type { AccessPolicy, Subject } from '../access/context.js';
import { matchesFilter } from '../access/filter.js';
import { matcherSteps, nameMatches } from '../access/matchers.js';
import { domainsFrom, type Ledger } from '../ledgers/ledger.js';
import type { Cost } from '../metering/cost.js';

/** What of a policy beside an access policy decides whether it is about a record. */
type FilteredPolicy = AccessPolicy & { readonly filter?: JsonObject };

/**
 * The policies of a schema that are in force and about the record (interface/policies): by kind, filter and domain.
 *
 * @param cost charged for every policy that is looked at: without an end to that, the record would be as free as where
 *   no policy is about it
 */
export function policiesAbout(cost: Cost, ledger: Ledger, schema: string, subject: Subject): AccessPolicy[] {
  return [...ledger.policies.values()].filter((policy) => isPolicyAbout(cost, ledger, policy, schema, subject));
}

function isPolicyAbout(cost: Cost, ledger: Ledger, policy: FilteredPolicy, schema: string, subject: Subject): boolean {
  cost.spend(1);
  if (policy.schema !== schema || policy.status === 'inactive') return false;
  if (policy.record !== undefined && !nameMatches(policy.record, subject.kind)) return false;
  cost.spend(matcherSteps(policy.record));
  if (policy.filter && !matchesFilter(policy.filter, subject, cost)) return false;
  const { domain } = policy;
  if (domain === undefined) return true;
  const domains = domainsFrom(ledger, subject.meta.domain);
  cost.spend(2 * domains.length);
  return domains.some((one) => one.handle === domain);
}
