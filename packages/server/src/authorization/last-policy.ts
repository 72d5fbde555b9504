import { opensLedger } from '../access/applicable-rules.js';
import type { Caller } from '../access/caller.js';
import type { AccessPolicy } from '../access/context.js';
import { judgeAccess } from '../access/decide.js';
import { accessRefusal } from '../access/refusal.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import { contextOf } from './context.js';

/**
 * Guards the drop, or change of status, of the last policy that lets anyone into the ledger: the ledger then falls to
 * its owners (`applicableRules`). Only a caller that could create policies may do so; any other owner would gain rights by it.
 *
 * @param status the status that the policy of that handle gets; undefined when it is dropped
 * @throws `auth.forbidden` when the ledger would be closed and the caller may not create policies
 */
export async function assertMayClose(
  session: Session,
  kind: Kind,
  caller: Caller,
  { handle, status }: { readonly handle: string; readonly status?: string | undefined },
): Promise<void> {
  if (session.isOwn || kind.access.part !== 'policies') return;
  await session.task.turn();
  const context = contextOf(session);
  if (!context.ledger.policyBased || !opensLedger(session.ledger.policies, session.task)) return;
  const others = [...session.ledger.policies].flatMap(([name, policy]): [string, AccessPolicy][] => {
    if (name !== handle) return [[name, policy]];
    const { status: _, ...rest } = policy;
    return status === undefined ? [] : [[name, { ...rest, status }]];
  });
  await session.task.turn();
  if (opensLedger(new Map(others), session.task) || judgeAccess('create', 'policy', caller, context).granted) return;
  throw status === undefined
    ? accessRefusal('drop', 'policy', { credentials: true })
    : accessRefusal('create', 'policy-proof', { credentials: true });
}
