import type { JsonObject, RecordEnvelope, StoredProof } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { keyOfProof, resolveKey } from '../../authorization/caller.js';
import { isOwn, type Ledger } from '../../ledgers/ledger.js';
import type { Session } from '../../ledgers/session.js';

/** What the members begin with that claims of a token are in a proof (interface/tokens#impersonation). */
const CLAIM = 'bearer.';

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
  const claims = Object.entries(custom).filter(([name]) => name.startsWith(CLAIM));
  return Object.fromEntries(claims.map(([name, value]) => [name.slice(CLAIM.length), value]));
}
