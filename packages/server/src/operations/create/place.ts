import type { JsonObject } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import type { Subject } from '../../access/context.js';
import type { ClientSignature } from '../../authorization/client-signature.js';
import { conditionsOf } from '../../authorization/conditions.js';
import type { Conditions } from '../../authorization/context.js';
import { newSubject } from '../../authorization/subject.js';
import type { Kind } from '../../kinds/kind.js';
import { notFound } from '../../kinds/refusal.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Ledger } from '../../ledgers/ledger.js';
import type { Session } from '../../ledgers/session.js';
import type { Command } from '../../records/command.js';
import { resolveDomain } from '../../records/domain.js';
import { assertUnder, findParent, type Parent } from '../../records/stored-record.js';
import type { Creation } from './verify.js';

/** Where a new record is to be, and who is to own it: the subject of the right to create it. */
export interface Placement {
  readonly kind: Kind;
  readonly subject: Subject;
  readonly owners: string[];
  readonly domain: string | undefined;
  /** The record it lies under, where its kind has one. */
  readonly parent?: Parent;
  readonly conditions: Conditions | undefined;
}

/** Finds the place of a new record on the session's state. */
export async function resolvePlacement(session: Session, creation: Creation, caller: Caller): Promise<Placement> {
  const { kind, command, data, signed, labels } = creation;
  const parent = await parentOfNew(session, kind, command, data);
  const domain = resolveDomain(session.ledger, kind, data, signed.proofs, parent);
  const owners = ownersOf(session.ledger, signed, caller);
  const subject = newSubject(kind, data, owners, domain, labels);
  const conditions = await conditionsOf(session, caller, subject);
  return { kind, subject, owners, domain, parent, conditions };
}

/**
 * The parent in the path, which data must name too. Where data names it as a relation, a missing parent is reported as
 * a missing relation, later in the order of checks (interface/signers#factors).
 */
async function parentOfNew(
  session: Session,
  kind: Kind,
  command: Command,
  data: JsonObject,
): Promise<Parent | undefined> {
  const { under } = kind.links;
  const named = under !== undefined && data[under.member] === command.params.parent;
  const isRelation = named && kind.links.relations?.(data).some((relation) => relation.kind === under.kind);
  const parent = await findParent(session, kind, command);
  if (!parent && under && !isRelation) throw notFound(kindNamed(under.kind));
  if (parent) assertUnder(kind, data, parent);
  return parent;
}

/** The keys that own a new record: those that signed it, and `system.auth` where it signed for a signer. */
function ownersOf(ledger: Ledger, { proofs }: ClientSignature, caller: Caller): string[] {
  const keys = proofs.signed.map((proof) => proof.public);
  if (caller.token?.key?.signer) keys.push(ledger.auth.public);
  return [...new Set(keys)];
}
