import type { RecordEnvelope } from '@countersign/protocol';
import { isPolicyReference } from '../../access/applicable-rules.js';
import type { Caller } from '../../access/caller.js';
import { may, mayRead } from '../../access/decide.js';
import type { AccessEntry } from '../../access/rules.js';
import { contextOf } from '../../authorization/context.js';
import { subjectOf } from '../../authorization/subject.js';
import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Session } from '../../ledgers/session.js';

/**
 * What the author of an active access policy should know of it: where rules count that stand on records, a policy counts
 * where one of them refers to it (interface/errors#hints-on-what-was-stored). Rules on other records than the ledger and
 * its domains are left aside: there may be millions. It tells of rules, so it is for those alone who may update the policy, or read
 * the record of the ledger.
 *
 * @param policy as it will be stored
 */
export function hintOnPolicy(session: Session, kind: Kind, policy: RecordEnvelope, caller: Caller): string | undefined {
  const { data, meta } = policy;
  if (kind.access.part !== 'policies' || data.schema !== 'access' || meta.status !== 'active') return undefined;
  const { access, domains, policies } = session.ledger;
  if (contextOf(session).ledger.policyBased) return undefined;
  const handle = String(data.handle);
  session.task.spend(access.length + domains.size + policies.size);
  const refers = (entry: AccessEntry) => {
    session.task.spend(1);
    return isPolicyReference(entry) && toNames(entry.policy).includes(handle);
  };
  if (access.some(refers) || [...domains.values()].some((domain) => domain.access.some(refers))) return undefined;
  if ([...policies.values()].some(({ extend = [] }) => toNames(extend).includes(handle))) return undefined;
  if (!mayUpdate(session, kind, policy, caller) && !mayReadLedger(session, caller)) return undefined;
  return (
    `No rule of the ledger or a domain refers to this policy, and none of the policies does. It counts where "access" has ` +
    `{"policy": "${handle}"}.`
  );
}

function mayUpdate(session: Session, kind: Kind, policy: RecordEnvelope, caller: Caller): boolean {
  return may('update', kind.name, caller, contextOf(session, subjectOf(kind, policy)));
}

function mayReadLedger(session: Session, caller: Caller): boolean {
  const kind = kindNamed('ledger');
  return mayRead(kind.name, caller, contextOf(session, subjectOf(kind, session.ledger.record)));
}

function toNames(names: string | readonly string[] | { readonly $in: readonly string[] }): readonly string[] {
  if (typeof names === 'string') return [names];
  return '$in' in names ? names.$in : names;
}
