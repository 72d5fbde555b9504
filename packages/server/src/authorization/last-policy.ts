import type { Caller } from '../access/caller.js';
import type { AccessPolicy } from '../access/context.js';
import { judge } from '../access/decide.js';
import { refusal } from '../access/refusal.js';
import { opens } from '../access/standing.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { contextOf } from './context.js';

/**
 * A ledger under policies whose policies let nobody in falls to its owners (`standing`). So who takes away the last one
 * that does must be who could make another: else an owner whom the policies give less would get more by taking it away.
 *
 * @param status what becomes of the policy of that handle; nothing where it goes
 * @throws `auth.forbidden` when nobody could enter afterwards, and the caller may not create policies
 */
export async function assertMayClose(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  caller: Caller,
  { handle, status }: { readonly handle: string; readonly status?: string | undefined },
): Promise<void> {
  if (kind.name !== 'policy') return;
  await service.task.turn();
  const context = contextOf(service, ledger);
  if (!context.ledger.policyBased || !opens(ledger.policies, service.task)) return;
  const others = [...ledger.policies].flatMap(([name, policy]): [string, AccessPolicy][] => {
    if (name !== handle) return [[name, policy]];
    const { status: _, ...rest } = policy;
    return status === undefined ? [] : [[name, { ...rest, status }]];
  });
  await service.task.turn();
  if (opens(new Map(others), service.task) || judge('create', 'policy', caller, context).granted) return;
  throw status === undefined
    ? refusal('drop', 'policy', { credentials: true })
    : refusal('create', 'policy-proof', { credentials: true });
}
