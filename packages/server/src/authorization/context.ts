import type { AccessContext, Subject } from '../access/context.js';
import { rightTerms } from '../kinds/registry.js';
import { domainsFrom } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';

/**
 * Whether the condition of that name, which a policy value asks for, is fulfilled (interface/policies#access-policies).
 */
export type Conditions = (name: string) => boolean;

/** What a decision on a record rests on, beside the caller. When `conditions` is absent, every condition fails. */
export function contextOf(session: Session, subject?: Subject, conditions?: Conditions): AccessContext {
  const domains = domainsFrom(session.ledger, subject?.meta.domain);
  session.task.spend(1 + FIND_DOMAIN_STEPS * domains.length);
  return {
    ledger: {
      access: session.ledger.access,
      owners: session.ledger.owners,
      policyBased: session.ledger.config['access.strategy'] === 'policy-based',
    },
    policies: session.ledger.policies,
    server: session.serverRules,
    domains,
    terms: rightTerms,
    cost: session.task,
    subject,
    ...(conditions ? { invoke: conditions } : {}),
  };
}

/** Steps to find a domain. */
const FIND_DOMAIN_STEPS = 2;
