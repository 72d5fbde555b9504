import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { judge } from '../access/decide.js';
import { missingPermissions, refusal } from '../access/refusal.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import { placeOfName } from '../records/domain.js';
import { heldBeside, type Related } from '../records/relations.js';
import type { Parent, Stored } from '../records/stored.js';
import { type Conditions, contextOf, subjectOf } from './context.js';

/** An action on a record, or on the record of its kind that is about to be. */
export interface Asked {
  readonly action: 'create' | 'read' | 'update' | 'drop' | 'prove';
  readonly kind: Kind;
  readonly subject: Subject;
  /** The record it lies under, where its kind has one. */
  readonly parent?: Parent;
  /** What policy values may ask by name of this record; without it, values that ask anything do not grant. */
  readonly conditions?: Conditions | undefined;
  /** It carries a proof that only a bridge can verify: whose it is does not count, but it is there (contract 02 §4). */
  readonly signedElsewhere?: boolean;
}

/**
 * Lets the caller go on, or refuses: first the ledger's gate, then the rules about the action (contract 03 §6).
 *
 * @throws `auth.unauthorized` when refused with neither token nor proof, else `auth.forbidden` (contract 03 §5); that is
 *   also what a write is told that no rule would refuse, but that nobody signs (contract 00, Corrections)
 */
export async function authorize(session: Session, caller: Caller, asked: Asked): Promise<void> {
  if (session.isOwn) return;
  await session.task.turn();
  const { action, record, subject } = rightFor(asked);
  const context = contextOf(session, subject, asked.conditions);
  const judgement = judge(action, record, caller, context);
  session.explain?.({ ledger: session.ledger.handle, action, record, ...named(subject), ...judgement });
  if (judgement.granted && (asked.action === 'read' || asked.signedElsewhere || signs(caller))) return;
  await session.task.turn();
  if (context.terms.ownProofs.has(record)) throw missingPermissions(action, record, caller, context);
  throw refusal(action, record, { credentials: caller.proofs.length > 0 || caller.token !== undefined });
}

/**
 * Lets the caller make a record under its name, or refuses: in the domain it is to be in; and in the place where the name
 * belongs, where that is another.
 *
 * @throws as `authorize` does
 */
export async function authorizeNew(session: Session, caller: Caller, asked: AskedNew): Promise<void> {
  const { kind, subject } = asked;
  await authorize(session, caller, { ...asked, action: 'create' });
  const place = placeOfName(session.ledger, kind, subject.data, subject.meta.domain);
  if (place) await authorizeIn(session, caller, asked, place.domain);
}

/**
 * Lets the caller make a record that keeps others from being dropped, or refuses, in the domains of those that are in one
 * beside its own.
 *
 * @param related the records that its data names
 * @throws as `authorize` does
 */
export async function authorizeBeside(
  session: Session,
  caller: Caller,
  asked: AskedNew,
  related: readonly Related[],
): Promise<void> {
  for (const { domain } of heldBeside(session.ledger, asked.kind, related, asked.subject.meta.domain)) {
    await authorizeIn(session, caller, asked, domain);
  }
}

/** A record that is about to be, or that another is to become. */
type AskedNew = Omit<Asked, 'action'>;

/** Asks for the right to make a record in a domain, be it another than it is to be in; or outside every domain. */
async function authorizeIn(
  session: Session,
  caller: Caller,
  asked: AskedNew,
  domain: string | undefined,
): Promise<void> {
  const { domain: _, ...meta } = asked.subject.meta;
  const subject = { ...asked.subject, meta: domain === undefined ? meta : { ...meta, domain } };
  await authorize(session, caller, { ...asked, subject, action: 'create' });
}

/**
 * Lets a read of a record go on to where the record is, of which no more is known than its name: unless the caller would
 * be refused whatever it turns out to be. Whether it may be read is for `authorize` to say when it is known.
 *
 * @throws as `authorize` does
 */
export async function authorizeUnseen(session: Session, caller: Caller, kind: Kind, subject: Subject): Promise<void> {
  await session.task.turn();
  const context = contextOf(session, subject);
  // Without a handle it may be in any domain (contract 02 §2.2).
  const domains = subject.data.handle === undefined ? [...session.ledger.domains.values()] : context.domains;
  const judgement = judge('read', kind.name, caller, { ...context, domains, hopeful: true });
  if (judgement.granted) return;
  session.explain?.({
    ledger: session.ledger.handle,
    action: 'read',
    record: kind.name,
    ...named(subject),
    ...judgement,
  });
  throw refusal('read', kind.name, { credentials: caller.token !== undefined });
}

/**
 * Whether rules about no record in particular let the caller read every record of the kind: nothing of a record need
 * then be looked at. An explained decision is about a record, and is made about it.
 */
export async function readsEvery(session: Session, kind: Kind, caller: Caller): Promise<boolean> {
  await session.task.turn();
  const context = contextOf(session);
  return !session.explain && !context.ledger.policyBased && judge('read', kind.name, caller, context).granted;
}

/** Whether a write of the caller's can carry a signature: its own, or one for the signer its token stands for. */
function signs({ proofs, token }: Caller): boolean {
  return proofs.length > 0 || token?.key?.signer !== undefined;
}

function named({ data }: Subject): { handle?: string } {
  return typeof data.handle === 'string' ? { handle: data.handle } : {};
}

/** An action on a stored record. */
export function asked(action: Asked['action'], kind: Kind, { record, parent }: Stored): Asked {
  return { action, kind, subject: subjectOf(kind, record, parent), ...(parent ? { parent } : {}) };
}

/** The right an operation needs: on the record itself, on its proofs, or on the record it lies under. */
function rightFor({ action, kind, subject, parent }: Asked): { action: string; record: string; subject: Subject } {
  if (action === 'prove') return { action: 'create', record: `${kind.name}-proof`, subject };
  const onParent = action === 'update' ? undefined : kind.access.rightsOnParent?.[action];
  if (onParent === undefined || !parent) return { action, record: kind.name, subject };
  return { action: onParent, record: parent.kind.name, subject: subjectOf(parent.kind, parent.record) };
}
