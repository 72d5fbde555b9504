import type { Caller } from '../../access/caller.js';
import { isAllowedOn } from '../../authorization/permission.js';
import { subjectOf } from '../../authorization/subject.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Session } from '../../ledgers/session.js';
import type { Claim } from './claims.js';
import type { Found } from './directory.js';
import type { Parties, Resolved } from './resolve.js';

/** A right that an intent needs on a record (interface/intents#permissions). */
export interface Permission {
  readonly action: 'issue' | 'destroy' | 'spend' | 'limit';
  readonly kind: 'wallet' | 'symbol';
  readonly on: Found;
}

/** The rights that an intent needs, each once. */
export function permissionsOf(claims: readonly Claim[], { parties }: Pick<Resolved, 'parties'>): readonly Permission[] {
  const needed = claims.flatMap((claim, index) => permissionsOfClaim(claim, parties[index]!));
  return [...new Map(needed.map((one) => [`${one.action} ${one.on.record.luid}`, one])).values()];
}

function permissionsOfClaim({ action }: Claim, parties: Parties): readonly Permission[] {
  const { symbol, source, debited, wallet } = parties;
  // Anyone could otherwise point a `debit` route of their own wallet at another's.
  const spend = on('spend', 'wallet', [source, debited]);
  switch (action) {
    case 'issue':
      return on('issue', 'symbol', [symbol]);
    case 'transfer':
      return spend;
    case 'destroy':
      return [...on('destroy', 'symbol', [symbol]), ...spend];
    case 'limit':
      return on('limit', 'wallet', [wallet]);
  }
}

function on(action: Permission['action'], kind: Permission['kind'], all: readonly (Found | undefined)[]): Permission[] {
  return all.flatMap((one) => (one ? [{ action, kind, on: one }] : []));
}

/**
 * Whether rules grant the caller all of these rights (interface/intents#permissions).
 *
 * @param caller of the intent, as `callerOfIntent` finds it
 * @throws as a turn of the session's task does, and `auth.forbidden` where judging takes too many steps
 */
export async function isPermitted(
  session: Session,
  caller: Caller,
  permissions: readonly Permission[],
): Promise<boolean> {
  for (const { action, kind, on } of permissions) {
    if (!(await isAllowedOn(session, caller, action, subjectOf(kindNamed(kind), on.record)))) return false;
  }
  return true;
}
