import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { AccessContext, Subject } from '../access/context.js';
import { defined } from '../base/defined.js';
import type { Kind } from '../kinds/kind.js';
import { rightTerms } from '../kinds/registry.js';
import { accessOf, domainsFrom } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { Parent } from '../records/stored-record.js';

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

/** A record that is being created: its own rules do not count yet. */
export function newSubject(
  kind: Kind,
  data: JsonObject,
  owners: readonly string[],
  domain: string | undefined,
  labels?: readonly string[],
): Subject {
  return {
    kind: kind.name,
    access: [],
    owners,
    data,
    meta: defined({ domain, labels }),
    exists: false,
  };
}

/**
 * A stored record as the subject of an action.
 *
 * @param parent the record it lies under; its current domain counts where the kind says so
 */
export function subjectOf(kind: Kind, record: RecordEnvelope, parent?: Parent): Subject {
  const { status, labels, thread } = record.meta;
  const domain = domainOfRecord(kind, record.meta.domain, parent);
  return {
    kind: kind.name,
    access: accessOf(record),
    owners: record.meta.owners,
    data: record.data,
    meta: defined({ status, domain, labels, thread }),
    exists: true,
  };
}

/**
 * The domain that counts for a stored record.
 *
 * @param stored the one it was stored with
 * @param parent the record it lies under, whose domain counts where the kind says so
 */
export function domainOfRecord(kind: Kind, stored: string | undefined, parent?: Parent): string | undefined {
  return parent && kind.links.inParentsDomain ? parent.record.meta.domain : stored;
}
