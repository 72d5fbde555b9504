import { isObject, type Json, type JsonObject, type StoredProof } from '@countersign/protocol';
import type { Subject } from '../access/context.js';
import { matchesFilter } from '../access/filter.js';
import { signerMatches } from '../access/matchers.js';
import type { SignerMatcher } from '../access/rules.js';
import { domainsFrom, type Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { Cost } from '../metering/cost.js';
import { keyOfProof } from './caller.js';
import { policiesAbout } from './policies-about.js';

/** A value of a status policy: who must have signed for the status (interface/policies#status-policies). */
export interface StatusValue {
  readonly status?: Json;
  readonly quorum: readonly SignerMatcher[];
  readonly filter?: JsonObject;
}

/**
 * The values of status policies that are about the record and the status asked for.
 *
 * @param cost charged for every policy and value. All are read: with a cap, policies beyond it would no longer restrict
 *   the record
 * @param asked null asks to clear the status: only values about any status name it
 * @returns undefined when no policy is about the record at all
 */
export function applicableValues(
  cost: Cost,
  ledger: Ledger,
  subject: Subject,
  asked: string | null,
): StatusValue[] | undefined {
  const policies = policiesAbout(cost, ledger, 'status', subject);
  if (policies.length === 0) return undefined;
  const values = policies.flatMap((policy) => policy.values as unknown as StatusValue[]);
  return values.filter(({ status, filter }) => {
    cost.spend(VALUE_STEPS + statusCount(status));
    if (status !== undefined && (asked === null || !namesStatus(status, asked))) return false;
    return !filter || matchesFilter(filter, subject, cost);
  });
}

/** Steps per value of a policy, beside its filter. */
const VALUE_STEPS = 3;

/** Steps beside the first to search the names of a status. */
function statusCount(status: Json | undefined): number {
  if (!isObject(status)) return 0;
  return [status.$in, status.$nin].reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length >> 2 : 0), 0);
}

/**
 * Whether the quorum of one of the values is complete: each of its matchers is met by a key that asked for the status.
 *
 * @param subject the record, whose owners the matchers may name
 */
export async function isQuorate(
  session: Session,
  values: readonly StatusValue[],
  asking: readonly StoredProof[],
  subject: Subject,
): Promise<boolean> {
  if (values.some(({ quorum }) => quorum.length === 0)) return true;
  const keys = await Promise.all(asking.map((proof) => keyOfProof(session, proof, true)));
  const domains = domainsFrom(session.ledger, subject.meta.domain).map(({ handle }) => handle);
  const of = { record: subject.owners, ledger: session.ledger.owners, domains };
  return values.some(({ quorum }) =>
    quorum.every((matcher) => keys.some((key) => key && signerMatches(matcher, key, of, session.task))),
  );
}

function namesStatus(matcher: Json, status: string): boolean {
  if (typeof matcher === 'string') return matcher === status;
  if (!isObject(matcher)) return false;
  if (Array.isArray(matcher.$in)) return matcher.$in.includes(status);
  return Array.isArray(matcher.$nin) && !matcher.$nin.includes(status);
}
