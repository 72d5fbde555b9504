import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { decideAccess } from '../access/decide.js';
import type { Session } from '../ledgers/session.js';
import { contextOf } from './context.js';

/**
 * Whether rules let the caller do that to a record which the request is not itself about, such as a wallet that an intent
 * names. The gate is left out, as it was passed with the request; policy values that ask for a condition grant nothing.
 *
 * @throws as a turn of the session's task does
 */
export async function isAllowedOn(
  session: Session,
  caller: Caller,
  action: string,
  subject: Subject,
): Promise<boolean> {
  await session.task.turn();
  return decideAccess(action, subject.kind, caller, contextOf(session, subject)).granted;
}
