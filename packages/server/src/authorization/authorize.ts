import type { JsonObject } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { decideAccess, isRead, judgeAccess } from '../access/decide.js';
import { refuseForPermissions } from '../access/refusal.js';
import type { Kind } from '../kinds/kind.js';
import { kindNamed } from '../kinds/registry.js';
import { isInDomain, type Ledger } from '../ledgers/ledger.js';
import { noteDecision } from '../ledgers/request-facts.js';
import type { Session } from '../ledgers/session.js';
import type { RelatedRecord } from '../records/data-rules.js';
import type { Parent, StoredRecord } from '../records/stored-record.js';
import { type Conditions, contextOf, subjectOf } from './context.js';
import { refuseAction } from './refuse.js';

/** An action on a stored record, or on one that a create would make. */
export interface AccessRequest {
  readonly action:
    | 'create'
    | 'read'
    | 'update'
    | 'drop'
    | 'erase'
    | 'prove'
    | 'query-event'
    | 'retry-event'
    | 'activate'
    | 'commit'
    | 'abort';
  readonly kind: Kind;
  readonly subject: Subject;
  /** The record it lies under, where its kind has one. */
  readonly parent?: Parent;
  /** The conditions of policy values about this record; absent, every value that asks one fails. */
  readonly conditions?: Conditions;
  /**
   * It carries a proof that only a bridge can verify: the write counts as signed, but rules are matched without that
   * key (interface/forwarding).
   */
  readonly signedElsewhere?: boolean;
  /** The record is judged as one outside every domain: rules and policies of its domain do not count. */
  readonly isOutside?: boolean;
}

/**
 * Checks the ledger's gate, then the rules about the action (interface/access).
 *
 * @throws `auth.unauthorized` when refused with neither token nor proof, else `auth.forbidden`
 *   (interface/access#refusals). A write that rules grant is refused alike when it is unsigned
 *   (interface/tokens#token-only-writes). `api.rate-limit-exceeded` when there are too many writes in the ledger, or it has no memory left for a large body
 */
export async function authorize(session: Session, caller: Caller, asked: AccessRequest): Promise<void> {
  if (session.isOwn) return;
  await session.task.turn();
  const { action, record, subject } = rightFor(asked);
  const around = contextOf(session, subject, asked.conditions);
  const context = asked.isOutside ? { ...around, domains: [] } : around;
  const judgement = judgeAccess(action, record, caller, context);
  session.explain?.({ ledger: session.ledger.handle, action, record, ...describeHandle(subject), ...judgement });
  const isGranted = judgement.granted && (isRead(asked.action) || asked.signedElsewhere || signs(caller));
  if (noteDecision(session.facts, isGranted)) {
    if (!isRead(asked.action))
      session.rates.admitWrite(session.ledger, session.task, comesFirst(session, caller, asked));
    return session.task.grant();
  }
  await session.task.turn();
  if (context.terms.ownProofs.has(record)) throw refuseForPermissions(action, record, caller, context);
  throw await refuseAction(session, caller, action, record);
}

/** Whether a write goes before others where there are too many: who may end a flood, and what moves money that is held, must not wait. */
function comesFirst({ ledger }: Session, { proofs, token }: Caller, { action }: AccessRequest): boolean {
  if (action === 'commit' || action === 'abort') return true;
  const keys = [...proofs, ...(token?.key ? [token.key] : [])];
  return keys.some((key) => key.public !== undefined && ledger.owners.includes(key.public));
}

/**
 * Checks the right to create a record under its name: in its domain, and in the domain that the name belongs to, where
 * that is another.
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
 * The place that the handle of a new record belongs to, where that differs from the record's domain. It is the domain
 * that the suffix names, the nearest existing one of several parts; a handle whose suffixes are all unknown, or
 * missing, belongs outside every domain.
 *
 * Rules and records name others by handle, even before the named record exists. So the right to create in one domain
 * must not suffice to take a name that was given rights elsewhere.
 *
 * @returns undefined where the name belongs to the record's domain, and for a plain handle of a kind with `freeNames`
 */
function placeOfName(
  ledger: Ledger,
  { access: { freeNames = false } }: Kind,
  { handle }: JsonObject,
  domain: string | undefined,
): { readonly domain?: string } | undefined {
  if (ledger.domains.size === 0 || typeof handle !== 'string') return undefined;
  const parts = handle.split('@').slice(1);
  if (parts.length === 0) return domain === undefined || freeNames ? undefined : {};
  const suffixes = parts.map((_, index) => parts.slice(index).join('@'));
  const place = suffixes.find((suffix) => ledger.domains.has(suffix));
  if (place === domain) return undefined;
  return place === undefined ? {} : { domain: place };
}

/** A record to be created, or the one that an update makes of another. */
export type AskedNew = Omit<AccessRequest, 'action'>;

/** Checks the right to create a record in a domain other than its own; undefined stands for outside every domain. */
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
 * Checks the right to create a record that keeps others from being dropped, in the domain of each of those that lies
 * beside its own.
 *
 * @param related the records that its data names
 * @throws as `authorize` does
 */
export async function authorizeBeside(
  session: Session,
  caller: Caller,
  asked: AskedNew,
  related: readonly RelatedRecord[],
): Promise<void> {
  for (const { domain } of findHeldInSiblingDomains(session.ledger, asked.kind, related, asked.subject.meta.domain)) {
    await authorizeIn(session, caller, asked, domain);
  }
}

/**
 * The named records that lie in a domain beside that of the record, rather than above or below, and that cannot be
 * dropped while it names them.
 */
function findHeldInSiblingDomains(
  ledger: Ledger,
  kind: Kind,
  related: readonly RelatedRecord[],
  domain: string | undefined,
): readonly RelatedRecord[] {
  return related.filter(
    (one) =>
      kindNamed(one.kind).links.dependants?.some((dependants) => dependants.kind === kind.name) &&
      !isInDomain(ledger, one.domain, domain) &&
      !isInDomain(ledger, domain, one.domain),
  );
}

/**
 * Checks a read before the record is fetched, when only its name is known: refuses a caller that would be refused
 * whatever the record holds. `authorize` decides once the record is known.
 *
 * @throws as `authorize` does
 */
export async function authorizeUnseen(session: Session, caller: Caller, kind: Kind, subject: Subject): Promise<void> {
  await session.task.turn();
  const context = contextOf(session, subject);
  // A record named by luid may be in any domain (interface/domains#which-domain-a-record-is-in).
  const domains = subject.data.handle === undefined ? [...session.ledger.domains.values()] : context.domains;
  const judgement = judgeAccess('read', kind.name, caller, { ...context, domains, hopeful: true });
  if (noteDecision(session.facts, judgement.granted)) return;
  session.explain?.({
    ledger: session.ledger.handle,
    action: 'read',
    record: kind.name,
    ...describeHandle(subject),
    ...judgement,
  });
  throw await refuseAction(session, caller, 'read', kind.name);
}

/**
 * Whether rules outside records let the caller read every record of the kind, so that a list can skip judging each.
 * False while decisions are explained, as an explanation is about one record.
 */
export async function readsEvery(session: Session, kind: Kind, caller: Caller): Promise<boolean> {
  await session.task.turn();
  const context = contextOf(session);
  if (session.explain || context.ledger.policyBased) return false;
  const { granted } = judgeAccess('read', kind.name, caller, context);
  if (granted) noteDecision(session.facts, true);
  return granted;
}

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

/** Whether a write of the caller's can carry a signature: its own, or one for the signer its token stands for. */
export function signs({ proofs, token }: Caller): boolean {
  return proofs.length > 0 || token?.key?.signer !== undefined;
}

function describeHandle({ data }: Subject): { handle?: string } {
  return typeof data.handle === 'string' ? { handle: data.handle } : {};
}

/** An action on a stored record. */
export function toAccessRequest(
  action: AccessRequest['action'],
  kind: Kind,
  { record, parent }: StoredRecord,
): AccessRequest {
  return { action, kind, subject: subjectOf(kind, record, parent), parent };
}

/** The right an operation needs: on the record itself, on its proofs, or on the record it lies under. */
export function rightFor({ action, kind, subject, parent }: Omit<AccessRequest, 'action'> & { action: string }): {
  action: string;
  record: string;
  subject: Subject;
} {
  if (action === 'prove') return { action: 'create', record: `${kind.name}-proof`, subject };
  const onParent: Readonly<Record<string, string>> = kind.access.rightsOnParent ?? {};
  const actionOnParent = onParent[action];
  if (actionOnParent === undefined || !parent) return { action, record: kind.name, subject };
  return { action: actionOnParent, record: parent.kind.name, subject: subjectOf(parent.kind, parent.record) };
}
