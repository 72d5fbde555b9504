import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { authorizeBeside, authorizeNew } from '../../authorization/authorize.js';
import { assertMayReveal } from '../../authorization/reveal.js';
import { assertMayBeCreated } from '../../authorization/status.js';
import type { Kind } from '../../kinds/kind.js';
import type { Decided, Session } from '../../ledgers/session.js';
import { assertDomain } from '../../records/domain.js';
import { assertStateFits, checkData, stepsToCheck } from '../../records/kind-rules.js';
import { usesOf } from '../../records/proofs.js';
import { findRelations, type Related } from '../../records/relations.js';
import { sealSecrets } from '../../records/secrets.js';
import { assertNotUnderReserved } from '../../records/stored.js';
import { checkUserSchema } from '../../records/user-schemas.js';
import type { VersionWrite } from '../../records/version.js';
import { generateData } from '../generated.js';
import type { Stage } from '../stage.js';
import { makeRecord } from './make-record.js';
import { type Placement, resolvePlacement } from './place.js';
import type { Creation } from './verify.js';

/** A create that the ledger has decided on. */
export interface DecidedCreate extends Pick<Placement, 'subject' | 'parent'> {
  readonly made: RecordEnvelope;
  /** Its write, except the version of the record. */
  readonly decided: Omit<Decided, keyof VersionWrite>;
}

/** Decides a create on the session's state, and makes the record (interface/records#order-of-checks). */
export async function decideCreate(
  session: Session,
  creation: Creation,
  caller: Caller,
  stage: Stage,
): Promise<DecidedCreate> {
  const { kind, data, signed } = creation;
  const place = await resolvePlacement(session, creation, caller);
  await authorizeNew(session, caller, place);
  assertNotUnderReserved(kind, data);
  if (creation.reveals) await assertMayReveal(session, kind, caller, place.subject);
  const needs = await checkNew(session, creation, caller, place);
  const completion = generateData(session, kind, data, creation.secrets);
  const made = await stage.once(session, { luid: creation.luid, change: 0 }, () =>
    makeRecord(session, creation, caller, place, completion),
  );
  const full = completion ?? creation;
  return {
    ...place,
    made,
    decided: {
      action: 'create',
      needs,
      decides: kind.access.decides === 'always',
      proofs: usesOf(session, signed.proofs),
      secrets: sealSecrets(session, kind, full.data, made.luid, full.secrets, new Set()),
    },
  };
}

/**
 * Checks the data of a new record, and the records that it names.
 *
 * @returns the records that must exist for it
 */
async function checkNew(
  session: Session,
  { kind, data, signed }: Creation,
  caller: Caller,
  place: Placement,
): Promise<readonly Related[]> {
  const { subject, domain } = place;
  await checkUserSchema(session, kind, data, domain);
  const needs = await findRelations(session, kind, data);
  assertDomain(session.ledger, kind, domain, describeRecord(kind, data), signed.proofs);
  await authorizeBeside(session, caller, place, needs);
  await session.task.turn(stepsToCheck(kind));
  checkData(kind, session.ledger, data);
  assertStateFits(kind, session.ledger, domain, data);
  await session.task.turn();
  if (kind.lifecycle.createdByPolicy) assertMayBeCreated(session.task, session.ledger, kind, subject);
  return needs;
}

/** The name of a record in errors: its handle, or that of the record it links to. */
export function describeRecord(kind: Kind, data: JsonObject): string {
  return String(data.handle ?? (kind.links.to && data[kind.links.to.member]));
}
