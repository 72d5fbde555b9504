import type { JsonObject, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { isAllowedOn } from '../../authorization/authorize.js';
import { keyOfProof, resolveKey } from '../../authorization/caller.js';
import { subjectOf } from '../../authorization/context.js';
import { kindNamed } from '../../kinds/registry.js';
import { isOwn, type Ledger } from '../../ledgers/ledger.js';
import type { Session } from '../../ledgers/session.js';
import type { Claim } from './claims.js';
import type { CurrentRecord, Parties } from './plan.js';
import type { Resolved } from './resolve.js';

/** A right that an intent needs on a record (interface/intents#permissions). */
export interface Permission {
  readonly action: 'issue' | 'destroy' | 'spend' | 'limit';
  readonly kind: 'wallet' | 'symbol';
  readonly on: CurrentRecord;
}

/** The rights that an intent needs, each once. */
export function permissionsOf(claims: readonly Claim[], { parties }: Pick<Resolved, 'parties'>): readonly Permission[] {
  const needed = claims.flatMap((claim, index) => permissionsOfClaim(claim, parties[index]!));
  return [...new Map(needed.map((one) => [`${one.action} ${one.on.record.luid}`, one])).values()];
}

function permissionsOfClaim({ action }: Claim, parties: Parties): readonly Permission[] {
  const { symbol, source, debited, wallet } = parties;
  // Anyone could otherwise point a `debit` route of their own wallet at another's.
  const spend = on('spend', 'wallet', [source, debited]);
  switch (action) {
    case 'issue':
      return on('issue', 'symbol', [symbol]);
    case 'transfer':
      return spend;
    case 'destroy':
      return [...on('destroy', 'symbol', [symbol]), ...spend];
    case 'limit':
      return on('limit', 'wallet', [wallet]);
  }
}

function on(
  action: Permission['action'],
  kind: Permission['kind'],
  all: readonly (CurrentRecord | undefined)[],
): Permission[] {
  return all.flatMap((one) => (one ? [{ action, kind, on: one }] : []));
}

/**
 * Whether rules grant the caller all of these rights (interface/intents#permissions).
 *
 * @param caller of the intent, as `callerOfIntent` finds it
 * @throws as a turn of the session's task does, and `auth.forbidden` where judging takes too many steps
 */
export async function isPermitted(
  session: Session,
  caller: Caller,
  permissions: readonly Permission[],
): Promise<boolean> {
  for (const { action, kind, on } of permissions) {
    if (!(await isAllowedOn(session, caller, action, subjectOf(kindNamed(kind), on.record)))) return false;
  }
  return true;
}

/** What the members begin with that claims of a token are in a proof (interface/tokens#impersonation). */
const CLAIM_PREFIX = 'bearer.';

/**
 * The caller who created an intent, rebuilt from the proofs that it was created with (interface/intents#permissions): the
 * keys of the client's, and the signer that `system.auth` vouches for, with the claims of the token. It is the same when
 * the intent is accepted and whenever it is processed later; what the signers are is looked up now.
 *
 * The ledger's own keys count for nobody, in a session of the ledger's own too: every intent has proofs by them.
 *
 * @param trustAbsence false where no commit follows
 */
export async function callerOfIntent(session: Session, record: RecordEnvelope, trustAbsence = true): Promise<Caller> {
  const { ledger } = session;
  const proofs = creationProofs(ledger, record);
  const publics = new Set(proofs.map((proof) => proof.public).filter((key) => !isOwn(ledger, key)));
  const said = proofs.find((proof) => isImpersonation(ledger, proof));
  const [keys, signer] = await Promise.all([
    Promise.all([...publics].map((key) => resolveKey(session, key, trustAbsence))),
    said && keyOfProof(session, said, trustAbsence),
  ]);
  if (!said) return { proofs: keys };
  const isProvided = said.origin === 'oauth2-token' ? ({ isProvided: true } as const) : {};
  return { proofs: keys, token: { claims: claimsSaid(said), ...isProvided, ...(signer ? { key: signer } : {}) } };
}

/** The proofs before the one by which the ledger gave the intent its luid; nobody else could have made that. */
function creationProofs({ system }: Ledger, { luid, meta }: RecordEnvelope): readonly StoredProof[] {
  const end = meta.proofs.findIndex((proof) => proof.public === system.public && proof.custom?.luid === luid);
  return meta.proofs.slice(0, Math.max(0, end));
}

/** Told by the origin, too: whatever a client sends is stored as of a key pair. */
function isImpersonation({ auth }: Ledger, proof: StoredProof): boolean {
  return proof.public === auth.public && proof.origin !== undefined && proof.origin !== 'key-pair';
}

function claimsSaid({ custom = {} }: StoredProof): JsonObject {
  const claims = Object.entries(custom).filter(([name]) => name.startsWith(CLAIM_PREFIX));
  return Object.fromEntries(claims.map(([name, value]) => [name.slice(CLAIM_PREFIX.length), value]));
}
