import { isObject, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { isPolicyReference } from '../access/applicable-rules.js';
import type { Caller } from '../access/caller.js';
import { may, mayRead } from '../access/decide.js';
import { needsProvider } from '../access/matchers.js';
import type { AccessEntry } from '../access/rules.js';
import { providersOf } from '../auth/providers.js';
import { contextOf, subjectOf } from '../authorization/context.js';
import type { Kind } from '../kinds/kind.js';
import { kindNamed } from '../kinds/registry.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { Cost } from '../metering/cost.js';
import { TooMuchWork } from '../metering/task.js';

/**
 * What the author of a record should know of its rules: the first that nobody can meet, as the ledger is now
 * (interface/errors#hints-on-what-was-stored).
 *
 * @param ledger undefined for one that is being made, which has no providers
 * @param data of the record, valid
 */
export function hintOnRules(ledger: Ledger | undefined, data: JsonObject, cost: Cost): string | undefined {
  for (const member of ['access', 'values']) {
    const rules = data[member];
    if (!Array.isArray(rules)) continue;
    cost.spend(rules.length);
    const index = rules.findIndex((rule) => isObject(rule) && asksProvider(rule as unknown as AccessEntry));
    if (index < 0) continue;
    if (ledger && providersOf(ledger).length > 0) return undefined;
    return (
      `${member}[${index}] is met by nobody: in "bearer", claims other than "$signer" and "hsh" count in tokens of providers only, ` +
      'and no authentication policy names one.'
    );
  }
  return undefined;
}

function asksProvider(rule: AccessEntry): boolean {
  return 'bearer' in rule && isObject(rule.bearer) && needsProvider(rule.bearer);
}

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

/** The hint that is found; none where the request has no steps left to find it, as what it asks for is allowed without. */
export function hintWithin(find: () => string | undefined): { hint?: string } {
  try {
    const hint = find();
    return hint === undefined ? {} : { hint };
  } catch (error) {
    if (error instanceof TooMuchWork) return {};
    throw error;
  }
}
