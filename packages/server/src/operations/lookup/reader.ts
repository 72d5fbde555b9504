import type { Caller } from '../../access/caller.js';
import { decideAccess, isVisible, judgeAccess, judgeQuery } from '../../access/decide.js';
import { accessRefusal } from '../../access/refusal.js';
import type { Token } from '../../auth/token.js';
import { signs } from '../../authorization/authorize.js';
import { type ClientSignature, callerOfRead, callerOfWrite } from '../../authorization/caller.js';
import { contextOf, newSubject } from '../../authorization/context.js';
import { refuseAction } from '../../authorization/refuse.js';
import type { Kind } from '../../kinds/kind.js';
import { noteDecision } from '../../ledgers/request-facts.js';
import type { Session } from '../../ledgers/session.js';

/** An authorized caller, and what the rules show to it. */
export interface LookupReader {
  readonly caller: Caller;
  /** Whether rules about no record in particular show every record of the kind. */
  readonly everything: boolean;
  /** Whether rules could show a record of unknown content. Where they could not, the bridge is not called. */
  readonly anything: boolean;
  /** Whether the rules show a record, given what is known of it. */
  readonly shows: typeof isVisible;
}

/**
 * Authorizes a list of the kind, as every list: it shows what the caller may read (interface/access#lists).
 *
 * @throws `auth.unauthorized`, `auth.forbidden` when the caller may not list the kind
 */
export async function authorizeList(session: Session, kind: Kind, token: Token | undefined): Promise<LookupReader> {
  const caller = await callerOfRead(session, token);
  await session.task.turn();
  const context = contextOf(session);
  const judgement = judgeQuery(kind.name, caller, context);
  session.explain?.({ ledger: session.ledger.handle, action: 'query', record: kind.name, ...judgement });
  if (!noteDecision(session.facts, judgement.granted)) throw await refuseAction(session, caller, 'query', kind.name);
  session.task.grant();
  await session.task.turn();
  const everything = !context.ledger.policyBased && decideAccess('read', kind.name, caller, context).granted;
  const anything = everything || isVisible(kind.name, caller, contextWithoutRecord(session, kind));
  return { caller, everything, anything, shows: isVisible };
}

/**
 * Authorizes a signed lookup: it shows the records on which a rule grants `lookup` (interface/lookups#access).
 *
 * @throws `auth.forbidden` when no rule of the ledger, a domain or a policy could grant it on any record
 */
export async function authorizeLookup(
  session: Session,
  kind: Kind,
  { proofs, token }: ClientSignature,
): Promise<LookupReader> {
  const caller = await callerOfWrite(session, proofs.signed, token, false);
  await session.task.turn();
  const judgement = judgeAccess('lookup', kind.name, caller, contextWithoutRecord(session, kind));
  session.explain?.({ ledger: session.ledger.handle, action: 'lookup', record: kind.name, ...judgement });
  if (!noteDecision(session.facts, judgement.granted && signs(caller)))
    throw accessRefusal('lookup', kind.name, { credentials: true });
  session.task.grant();
  await session.task.turn();
  const context = contextOf(session);
  const everything = !context.ledger.policyBased && mayLookUp(kind.name, caller, context);
  return { caller, everything, anything: true, shows: mayLookUp };
}

const mayLookUp: typeof isVisible = (kind, caller, context) => decideAccess('lookup', kind, caller, context).granted;

/** The context of a record of unknown content: it may be in any domain, and match any filter. */
function contextWithoutRecord(session: Session, kind: Kind) {
  const subject = { ...newSubject(kind, {}, [], undefined), known: 'name' } as const;
  return { ...contextOf(session, subject), domains: [...session.ledger.domains.values()], hopeful: true } as const;
}
