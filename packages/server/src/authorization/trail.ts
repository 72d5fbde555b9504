import { decodeBase64, type JsonObject, type StoredProof } from '@countersign/protocol';
import type { Caller, SignerFacts } from '../access/caller.js';
import type { Token } from '../auth/token.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import { customsOf, toStoredProof } from '../records/proofs.js';
import { type ClientSignature, findSignerFacts } from './caller.js';

/**
 * The first part of a record's proofs: the client's own, then that of `system.auth` for the signer the token stands for
 * (interface/tokens#impersonation). The ledger's come after it.
 *
 * @param now the moment of the write, ISO 8601
 */
export async function clientTrail(
  session: Session,
  kind: Kind,
  signed: ClientSignature,
  caller: Caller,
  now: string,
): Promise<StoredProof[]> {
  const { hash, proofs } = signed;
  const keys = new Map(caller.proofs.map((key) => [key.public, key]));
  const own = proofs.signed.map((proof) => toStoredProof(proof, keys.get(proof.public), kind.trail.origin ?? true));
  const status = customsOf(proofs).find((custom) => typeof custom?.status === 'string')?.status;
  const said = { moment: now, ...(status === undefined || status === null ? {} : { status }) };
  const impersonation = await impersonationProof(session, hash, said, caller, signed.token);
  return impersonation ? [...own, impersonation] : own;
}

/**
 * A proof by `system.auth` that a token spoke for a signer, with all claims of the token.
 *
 * @param custom what the proof says beside the claims
 * @returns undefined when the token stands for no registered signer
 */
export async function impersonationProof(
  session: Session,
  hash: string,
  custom: JsonObject,
  caller: Caller,
  token: Token | undefined,
): Promise<StoredProof | undefined> {
  const signer = caller.token?.key?.signer;
  if (!token || !signer) return undefined;
  const claims = Object.entries(token.claims)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([claim, value]) => [`bearer.${claim}`, value]);
  const said: JsonObject = { ...custom, ...Object.fromEntries(claims) };
  const { digest, method, public: key, result } = session.ledger.auth.sign(hash, said);
  const issuer = await issuerOf(session, token, signer);
  return {
    custom: said,
    digest,
    issuer,
    method,
    origin: token.kind,
    public: key,
    result,
    signer: signer.handle,
  };
}

/** Handle of the signer that the claim `iss` names, by key or by handle. */
async function issuerOf(session: Session, { claims }: Token, signer: SignerFacts): Promise<string | undefined> {
  const { iss } = claims;
  if (typeof iss !== 'string') return undefined;
  // Most tokens name their own signer as issuer.
  if (iss === signer.handle || iss === signer.public) return signer.handle;
  const by = decodeBase64(iss)?.length === 32 ? 'public' : 'handle';
  return (await findSignerFacts(session, iss, by))?.handle;
}
