import { type JsonObject, parseAddress, type RecordEnvelope, readJson, type StoredProof } from '@countersign/protocol';
import type { Caller, CallerKey, ShownKey, SignerFacts } from '../access/caller.js';
import type { Token } from '../auth/token.js';
import { isSigningKey, isUsable } from '../auth/usable.js';
import { kindNamed } from '../kinds/registry.js';
import { isLedgerKey, isOwn, type Ledger } from '../ledgers/ledger.js';
import { noteCaller } from '../ledgers/request-facts.js';
import type { Session } from '../ledgers/session.js';
import { turnForText } from '../metering/task.js';
import { type ClientProofs, signatureMissing } from '../records/proofs.js';
import type { FoundSigner } from '../store/queries/signers.js';

/**
 * The caller of a write: the keys of its verified proofs and of its token, each with the signer it stands for.
 *
 * Keys cached as unregistered are trusted, since the commit checks that they still are. In a client's request the
 * ledger's own keys count for no signer and no owner: what they have signed is known to bridges and to readers of
 * records.
 *
 * @param trustAbsence false where no commit follows
 */
export async function callerOfWrite(
  session: Session,
  proofs: readonly { readonly public: string }[],
  token: Token | undefined,
  trustAbsence = true,
): Promise<Caller> {
  const publics = new Set(proofs.map((proof) => proof.public).filter((key) => !isLedgerKey(session, key)));
  const keys = await Promise.all([...publics].map((key) => resolveKey(session, key, trustAbsence)));
  return withToken(session, keys, token, await keyOfToken(session, token, trustAbsence));
}

/**
 * The caller of a read: its token only. Keys cached as unregistered are looked up again, since a read has no commit.
 */
export async function callerOfRead(session: Session, token: Token | undefined): Promise<Caller> {
  return withToken(session, [], token, await keyOfToken(session, token, false));
}

function withToken(
  { facts }: Session,
  proofs: readonly CallerKey[],
  token: Token | undefined,
  key: CallerKey | undefined,
): Caller {
  const isProvided = token?.kind === 'oauth2-token' ? ({ isProvided: true } as const) : {};
  const caller = token
    ? { proofs, token: { claims: token.claims, ...isProvided, ...(key ? { key } : {}) } }
    : { proofs };
  noteCaller(facts, caller);
  return caller;
}

/** The key a token stands for: the one that signed it, or that of the signer an identity provider vouches for. */
async function keyOfToken(
  session: Session,
  token: Token | undefined,
  trustAbsence: boolean,
): Promise<CallerKey | undefined> {
  if (!token) return undefined;
  if (token.key !== undefined) return resolveKey(session, token.key, trustAbsence);
  const { sub } = token.claims;
  const signer = typeof sub === 'string' ? await findSignerFacts(session, sub, 'handle') : undefined;
  return signer && keyOfVouchedSigner(session.ledger, signer);
}

/** The signer with that key or handle, as it is now, in use or not. */
export async function findSignerFacts(
  session: Session,
  key: string,
  by: 'public' | 'handle',
): Promise<SignerFacts | undefined> {
  if (by === 'handle' && !parseAddress(key)) return undefined;
  return signerIn(await lookUpSigner(session, key, by));
}

/** A key that was shown, with the signer that it stands for. */
export async function resolveKey(session: Session, key: string, trustAbsence: boolean): Promise<ShownKey> {
  const known = session.signers.get(key);
  if (known) return keyFor(key, known);
  if (!trustAbsence || !session.signers.has(key)) {
    const found = await lookUpSigner(session, key, 'public');
    const signer = signerIn(found);
    // The key of a factor depends on two records. Such keys are few, and looked up each time.
    if (found.factor === undefined) session.signers.set(key, signer);
    // The key of a factor is registered even when it counts for no signer; a change of that makes a new version.
    if (found.body !== undefined) return signer ? keyFor(key, signer) : { public: key };
  }
  session.assumedUnregistered.add(key);
  return { public: key };
}

/**
 * The key of a signer; one out of use is named as `retired` only (interface/proofs#for-whom-a-key-stands,
 * interface/signers).
 */
function keyFor(key: string, signer: SignerFacts): ShownKey {
  return isUsable({ meta: signer }) ? { public: key, signer } : { public: key, retired: signer.handle };
}

/**
 * A signer that a trusted party names: a provider, or `system.auth` in a proof. The caller has shown no key, and the
 * key in the signer's record may be anyone's, even an owner's: it counts where the record has a proof of it
 * (docs/interface/proofs.md). The ledger's own signers cannot be named in this way.
 */
export function keyOfVouchedSigner(ledger: Ledger, signer: SignerFacts): CallerKey | undefined {
  if (kindNamed('signer').access.reserved?.includes(signer.handle)) return undefined;
  if (!isUsable({ meta: signer })) return { retired: signer.handle };
  return signer.proven && !isOwn(ledger, signer.public) ? { public: signer.public, signer } : { signer };
}

/** The key a stored proof counts for: its own, or that of the signer `system.auth` made it for. */
export async function keyOfProof(
  session: Session,
  proof: StoredProof,
  trustAbsence: boolean,
): Promise<CallerKey | undefined> {
  if (proof.origin === 'key-pair' || proof.signer === undefined) return resolveKey(session, proof.public, trustAbsence);
  const signer = await findSignerFacts(session, proof.signer, 'handle');
  return signer && keyOfVouchedSigner(session.ledger, signer);
}

/** @throws OutOfDate when the signer was found under another state of the ledger */
async function lookUpSigner(session: Session, key: string, by: 'public' | 'handle'): Promise<FoundSigner> {
  const found = await session.findSigner(key, by);
  await turnForText(session.task, found.body, found.factor);
  return found;
}

/**
 * The signer that was found; undefined when it was found by a factor that does not count
 * (interface/proofs#for-whom-a-key-stands).
 */
function signerIn({ body, factor, circles, proven }: FoundSigner): SignerFacts | undefined {
  if (body === undefined || (factor !== undefined && !isUsableKey(readJson(factor) as RecordEnvelope)))
    return undefined;
  const { data, meta } = readJson(body) as RecordEnvelope;
  const { status, domain } = meta;
  return { ...(data as JsonObject), status, circles, domain, proven } as unknown as SignerFacts;
}

function isUsableKey(factor: RecordEnvelope): boolean {
  return isSigningKey(factor) && isUsable(factor);
}

/** What a client signed, and on whose behalf its token speaks. */
export interface ClientSignature {
  readonly hash: string;
  readonly proofs: ClientProofs;
  readonly token: Token | undefined;
}

/**
 * @throws `crypto.signature-missing` for a request that is unsigned, or signed in part only, and whose token stands for
 *   no signer (interface/tokens#impersonation): an unsigned proof must not count beside signed ones. Passes an unsigned
 *   request whose provider token stands for no signer: it lacks rights, which `authorize` tells
 *   (interface/tokens#token-only-writes)
 */
export function assertSignature({ proofs: { signed, partial }, token }: ClientSignature, caller: Caller): void {
  if (caller.token?.key?.signer) return;
  if (signed.length > 0 ? partial.length === 0 : token?.kind === 'oauth2-token') return;
  throw signatureMissing();
}
