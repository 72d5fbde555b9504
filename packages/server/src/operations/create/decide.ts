import { type JsonObject, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { authorizeNew } from '../../authorization/authorize.js';
import { authorizeBeside } from '../../authorization/beside.js';
import { assertLabels } from '../../authorization/labels-policies.js';
import { assertMayReveal } from '../../authorization/reveal.js';
import { assertMayBeCreated } from '../../authorization/status.js';
import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Ledger } from '../../ledgers/ledger.js';
import type { DecidedWrite, Session } from '../../ledgers/session.js';
import { findNamedDomain } from '../../records/domain.js';
import { assertStateFits, checkData } from '../../records/kind-rules.js';
import { type ClientProofs, usesOfProofs } from '../../records/proofs.js';
import { findRelations, type RelatedRecord } from '../../records/relations.js';
import { checkSecretKeys, sealSecrets } from '../../records/secrets.js';
import { checkUserSchema } from '../../records/user-schemas.js';
import { recordKeyOf, type VersionWrite } from '../../records/version.js';
import type { UniqueLabel } from '../../store/committer/labeled.js';
import { generateData } from '../generated-data.js';
import type { HandOverStage } from '../stage.js';
import { makeRecord } from './make-record.js';
import { type Placement, resolvePlacement } from './place.js';
import type { Creation } from './verify.js';

/** A create that the ledger has decided on. */
export interface DecidedCreate extends Pick<Placement, 'subject' | 'parent'> {
  readonly made: RecordEnvelope;
  /** Its write, except the version of the record. */
  readonly decided: Omit<DecidedWrite, keyof VersionWrite>;
}

/** Decides a create on the session's state, and makes the record (interface/records#order-of-checks). */
export async function decideCreate(
  session: Session,
  creation: Creation,
  caller: Caller,
  stage: HandOverStage,
): Promise<DecidedCreate> {
  const { kind, data, signed } = creation;
  const place = await resolvePlacement(session, creation, caller);
  await authorizeNew(session, caller, place);
  assertNotUnderReserved(kind, data);
  if (creation.reveals) await assertMayReveal(session, kind, caller, place.subject);
  const { needs, unique } = await checkNew(session, creation, caller, place);
  const completion = generateData(session, kind, data, creation.secrets);
  const made = await stage.once(session, { luid: creation.luid, change: 0 }, () =>
    makeRecord(session, creation, caller, place, completion),
  );
  const full = completion ?? creation;
  const { subject, parent } = place;
  return {
    subject,
    parent,
    made,
    decided: {
      action: 'create',
      mustExist: needs,
      bumpsRules: kind.access.bumpsRules === 'always',
      proofs: usesOfProofs(session, signed.proofs),
      secrets: sealSecrets(session, kind, full.data, made.luid, full.secrets, new Set()),
      unique,
    },
  };
}

/**
 * Checks the data of a new record, and the records that it names.
 *
 * @returns the records that must exist for it, and the labels that no other may have
 */
async function checkNew(
  session: Session,
  { kind, data, signed, labels, luid, secrets }: Creation,
  caller: Caller,
  place: Placement,
): Promise<{ needs: readonly RelatedRecord[]; unique: readonly UniqueLabel[] }> {
  const { subject, domain } = place;
  await checkUserSchema(session, kind, data, domain);
  const needs = await findRelations(session, kind, data);
  assertDomain(session.ledger, kind, domain, describeRecord(kind, data), signed.proofs);
  await authorizeBeside(session, caller, place, needs);
  const unique = await assertLabels(session, {
    kind,
    subject,
    luid,
    key: recordKeyOf(kind, { data }),
    had: [],
    has: labels,
  });
  await checkData(kind, session, data);
  await checkSecretKeys(session, kind, data, secrets);
  assertStateFits(kind, session.ledger, domain, data);
  await session.task.turn();
  if (kind.lifecycle.createdByPolicy) assertMayBeCreated(session.task, session.ledger, kind, subject);
  return { needs, unique };
}

/**
 * @throws `auth.forbidden` for a new record under one of the ledger's own: a factor would be another key of `system`,
 *   which rules cannot grant (interface/signers#signers-of-the-ledger)
 */
function assertNotUnderReserved({ name, links: { under } }: Kind, data: RecordEnvelope['data']): void {
  if (!under || !kindNamed(under.kind).access.reserved?.includes(String(data[under.member]))) return;
  throw new LedgerError('auth.forbidden', `Cannot create ${name}.`);
}

/**
 * @throws `record.relation-not-found` when the domain a record would join does not exist
 *   (interface/domains#which-domain-a-record-is-in); `record.invalid` when a proof names another domain than that of
 *   the record it lies under
 */
function assertDomain(
  ledger: Ledger,
  kind: Kind,
  domain: string | undefined,
  handle: string,
  proofs: ClientProofs,
): void {
  if (ledger.domains.size === 0) return;
  const named = findNamedDomain(proofs) ?? domain;
  if (named !== undefined && !ledger.domains.has(named)) {
    throw new LedgerError(
      'record.relation-not-found',
      `Trying to set a domain which doesn't exist "${named}" to the record "${handle}"`,
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
