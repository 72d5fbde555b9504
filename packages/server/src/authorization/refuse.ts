import { LedgerError } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import { hintOn } from '../access/hint.js';
import { accessRefusal } from '../access/refusal.js';
import type { Session } from '../ledgers/session.js';
import { contextOf } from './context.js';

/**
 * The error for what the rules refuse, with a hint where the rules of the ledger are known to mislead
 * (interface/errors#hints).
 *
 * @param action the one that is refused; a list is refused as `query`, and judged as `read`
 */
export async function refuseAction(
  session: Session,
  caller: Caller,
  action: string,
  record: string,
): Promise<LedgerError> {
  const credentials = caller.proofs.length > 0 || caller.token !== undefined;
  const error = accessRefusal(action, record, { credentials });
  if (!credentials) return error;
  await session.task.turn();
  const hint = hintOn(action === 'query' ? 'read' : action, record, caller, contextOf(session));
  return hint === undefined ? error : new LedgerError(error.reason, error.detail, { hint });
}
