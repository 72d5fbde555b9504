import { hash as hashOf, type JsonObject, LedgerError, type Meta, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import type { Subject } from '../../access/context.js';
import type { ClientSignature } from '../../authorization/caller.js';
import { conditionsOf } from '../../authorization/conditions.js';
import { type Conditions, newSubject } from '../../authorization/context.js';
import { clientTrail } from '../../authorization/trail.js';
import type { UnsignedProof } from '../../keys/signing-key.js';
import type { Kind, KindName } from '../../kinds/kind.js';
import { notFound } from '../../kinds/refusal.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Ledger } from '../../ledgers/ledger.js';
import type { Service } from '../../ledgers/service.js';
import type { Session } from '../../ledgers/session.js';
import { readRecordText } from '../../metering/task.js';
import type { Command } from '../../records/command.js';
import { findNamedDomain, resolveDomain } from '../../records/domain.js';
import { assertProofs } from '../../records/proof-rules.js';
import type { ClientProofs } from '../../records/proofs.js';
import { assertUnder, findParent, type Parent } from '../../records/stored-record.js';
import { sortMembers } from '../../records/version.js';

/** A create that has passed every check of the command alone. */
export interface Creation {
  readonly kind: Kind;
  readonly command: Command;
  readonly data: JsonObject;
  readonly signed: ClientSignature;
  readonly labels: string[] | undefined;
  /** Of the new record: the same each time the create is decided, since a bridge may know it. */
  readonly luid: string;
  readonly secrets: Readonly<Record<string, string>>;
  /** Whether the answer shows the values of its secrets. */
  readonly reveals: boolean;
}

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

/**
 * @throws `auth.forbidden` for a new record under one of the ledger's own: a factor would be another key of `system`,
 *   which rules cannot grant (interface/signers#signers-of-the-ledger)
 */
export function assertNotUnderReserved({ name, links: { under } }: Kind, data: RecordEnvelope['data']): void {
  if (!under || !kindNamed(under.kind).access.reserved?.includes(String(data[under.member]))) return;
  throw new LedgerError('auth.forbidden', `Cannot create ${name}.`);
}

/**
 * @throws `record.relation-not-found` when the domain a record would join does not exist
 *   (interface/domains#which-domain-a-record-is-in); `record.invalid` when a proof names another domain than that of
 *   the record it lies under
 */
export function assertDomain(
  ledger: Ledger,
  kind: Kind,
  domain: string | undefined,
  data: JsonObject,
  proofs: ClientProofs,
): void {
  if (ledger.domains.size === 0) return;
  const named = findNamedDomain(proofs) ?? domain;
  if (named !== undefined && !ledger.domains.has(named)) {
    throw new LedgerError(
      'record.relation-not-found',
      `Trying to set a domain which doesn't exist "${named}" to the record "${describeRecord(kind, data)}"`,
      { domain: named },
    );
  }
  if (named !== domain) {
    throw new LedgerError(
      'record.invalid',
      `Domain in the request does not match the domain of the ${kind.links.under?.kind}`,
    );
  }
}

/** The name of a record in errors: its handle, or that of the record it links to. */
export function describeRecord(kind: Kind, data: JsonObject): string {
  return String(data.handle ?? (kind.links.to && data[kind.links.to.member]));
}

/** A record's data as the ledger completed it. */
interface CompletedData {
  readonly data: JsonObject;
  readonly hash: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * A new record's data, completed by what the ledger generates; undefined for data that is complete as sent
 * (interface/signers#client-credentials).
 *
 * @param secrets values from the client; generated ones replace those of the same name
 */
export function generateData(
  service: Service,
  kind: Kind,
  data: JsonObject,
  secrets: Readonly<Record<string, string>>,
): CompletedData | undefined {
  const generated = kind.data.generated?.(data, service.runtime.random);
  if (!generated) return undefined;
  const hash = hashOf(generated.data, service.suite);
  return { data: generated.data, hash, secrets: { ...secrets, ...generated.secrets } };
}

/**
 * Makes the record as it will be served: the client's proofs, then the ledger's (interface/envelope#meta).
 *
 * @param completion the data as the ledger completed it
 * @throws `record.invalid` when it would have more proofs than a record may
 */
export async function makeRecord(
  session: Session,
  { kind, data: sent, signed, labels, luid }: Creation,
  caller: Caller,
  { owners, domain }: Placement,
  completion: CompletedData | undefined,
): Promise<RecordEnvelope> {
  const { data, hash } = completion ?? { data: sent, hash: signed.hash };
  const now = session.moment();
  const initialStatus = kind.lifecycle.initialStatus ?? 'created';
  const trail = kind.trail.created ?? [{ status: initialStatus, luid: true }];
  const unsigned = completion
    ? []
    : trail.map(({ status, luid: named }) =>
        session.ledger.system.unsigned(hash, { ...(named ? { luid } : {}), moment: now, status }),
      );
  const meta: Meta = {
    proofs: completion
      ? [session.ledger.system.stored(hash, { luid, moment: now })]
      : [...(await clientTrail(session, kind, signed, caller, now)), ...unsigned.map(({ proof }) => proof)],
    status: initialStatus,
    ...(await kind.lifecycle.meta?.(data, {
      random: session.runtime.random,
      domainOf: (kind, handle) => lookUpDomain(session, kind, handle),
    })),
    moment: now,
    owners: completion ? [] : owners,
    labels,
    domain,
  };
  assertProofs(session, meta.proofs);
  await signRecord(session, kind, unsigned);
  const served = kind.data.served?.(data, domain) ?? data;
  return { hash, data: sortMembers(kind, served), luid, meta };
}

/** Those of an intent are signed together with others: the main thread bounds how many are settled. */
async function signRecord(
  { ledger, signatures, suite }: Session,
  kind: Kind,
  unsigned: readonly UnsignedProof[],
): Promise<void> {
  if (kind.lifecycle.isProcessed) await signatures.sign(ledger.id, unsigned);
  else {
    for (const { proof, key } of unsigned) {
      proof.result = Buffer.from(suite.sign(Buffer.from(proof.digest, 'hex'), key.secret)).toString('base64');
    }
  }
}

async function lookUpDomain(session: Session, kind: KindName, handle: string): Promise<string | undefined> {
  const { id, domains } = session.ledger;
  // A domain is never dropped, so where there is none no record is in one.
  if (domains.size === 0) return undefined;
  const { record } = await session.store.findVersion({ ledger: id, kind, id: handle, by: 'handle' });
  // An intent names many wallets, and each may be large.
  return record && (await readRecordText(session.task, record.body)).meta.domain;
}
