import { LedgerError } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { isVisible, type Judgement, judgeAccess, judgeQuery } from '../../access/decide.js';
import { contextOf } from '../../authorization/context.js';
import { refuseAction } from '../../authorization/refuse.js';
import { REQUEST } from '../../journal/entry.js';
import type { Kind } from '../../kinds/kind.js';
import { isJournaled, noteDecision } from '../../ledgers/request-facts.js';
import type { Session } from '../../ledgers/session.js';

/** Whether the journal is below records of the kind: it is the ledger's own. */
export function hasJournal({ name }: Kind): boolean {
  return name === 'ledger';
}

/** @throws `api.route-not-found` unless the ledger keeps a journal */
export function assertJournaled(session: Session): void {
  if (!isJournaled(session, session.ledger)) throw new LedgerError('api.route-not-found', 'Journaling is not enabled');
}

/**
 * Whether rules let the caller list entries, and show them: to who may read `request`.
 *
 * @throws `auth.unauthorized`, `auth.forbidden` for a caller who may not list any record of the ledger
 */
export async function mayListEntries(session: Session, caller: Caller): Promise<boolean> {
  await session.task.turn();
  await assertGranted(session, caller, 'query', judgeQuery(REQUEST, caller, contextOf(session)));
  return isVisible(REQUEST, caller, contextOf(session));
}

/** @throws `auth.unauthorized`, `auth.forbidden` unless rules let the caller read `request` */
export async function authorizeEntry(session: Session, caller: Caller): Promise<void> {
  await session.task.turn();
  await assertGranted(session, caller, 'read', judgeAccess('read', REQUEST, caller, contextOf(session)));
}

async function assertGranted(session: Session, caller: Caller, action: string, judgement: Judgement): Promise<void> {
  session.explain?.({ ledger: session.ledger.handle, action, record: REQUEST, ...judgement });
  if (!noteDecision(session.facts, judgement.granted)) throw await refuseAction(session, caller, action, REQUEST);
}
