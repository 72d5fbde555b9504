import { type JsonObject, parseAddress, type RecordEnvelope } from '@countersign/protocol';
import type { Caller, Key, SignerFacts } from '../access/caller.js';
import type { Token } from '../auth/token.js';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../service.js';
import { assertCurrent } from './attempt.js';

/**
 * The caller of a write: the keys of its verified proofs and of its token, each with the signer that owns it.
 *
 * A key known to be a stranger's is not looked up again: the commit checks that it still is.
 *
 * @param trustAbsence false where no commit follows
 */
export async function writer(
  service: Service,
  ledger: Ledger,
  proofs: readonly { readonly public: string }[],
  token: Token | undefined,
  trustAbsence = true,
): Promise<Caller> {
  const keys = await Promise.all(
    [...new Set(proofs.map((proof) => proof.public))].map((key) => keyOf(service, ledger, key, trustAbsence)),
  );
  return withToken(keys, token, await keyOfToken(service, ledger, token, trustAbsence));
}

/** The caller of a read: nothing but the token, and no commit to check a stranger, so strangers are looked up. */
export async function reader(service: Service, ledger: Ledger, token: Token | undefined): Promise<Caller> {
  return withToken([], token, await keyOfToken(service, ledger, token, false));
}

function withToken(proofs: readonly Key[], token: Token | undefined, key: Key | undefined): Caller {
  if (!token) return { proofs };
  return { proofs, token: { claims: token.claims, ...(key ? { key } : {}) } };
}

/** The key a token stands for: the one that signed it, or that of the signer an identity provider vouches for. */
async function keyOfToken(
  service: Service,
  ledger: Ledger,
  token: Token | undefined,
  trustAbsence: boolean,
): Promise<Key | undefined> {
  if (!token) return undefined;
  if (token.key !== undefined) return keyOf(service, ledger, token.key, trustAbsence);
  const { sub } = token.claims;
  const signer = typeof sub === 'string' ? await signerOf(service, ledger, sub, 'handle') : undefined;
  return signer && { public: signer.public, signer };
}

/** The signer with that key or handle, as it is now. */
export async function signerOf(
  service: Service,
  ledger: Ledger,
  key: string,
  by: 'public' | 'handle',
): Promise<SignerFacts | undefined> {
  if (by === 'handle' && !parseAddress(key)) return undefined;
  const { version, body, circles } = await service.store.signers({ ledger: ledger.id, key, by });
  assertCurrent(ledger, version);
  return body === undefined ? undefined : signerFacts(JSON.parse(body), circles);
}

/** A key, with the signer that owns it. */
export async function keyOf(service: Service, ledger: Ledger, key: string, trustAbsence: boolean): Promise<Key> {
  const signer =
    ledger.signers.get(key) ??
    (trustAbsence && ledger.signers.has(key) ? undefined : await found(service, ledger, key));
  if (signer) return { public: key, signer };
  ledger.strangers.add(key);
  return { public: key };
}

async function found(service: Service, ledger: Ledger, key: string): Promise<SignerFacts | undefined> {
  const signer = await signerOf(service, ledger, key, 'public');
  if (ledger.signers.size >= limits.signers) ledger.signers.clear();
  ledger.signers.set(key, signer);
  return signer;
}

function signerFacts({ data, meta }: RecordEnvelope, circles: readonly string[]): SignerFacts {
  return { ...(data as JsonObject), status: meta.status, circles } as unknown as SignerFacts;
}
