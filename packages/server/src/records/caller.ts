import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
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
 */
export async function writer(
  service: Service,
  ledger: Ledger,
  proofs: readonly { readonly public: string }[],
  token: Token | undefined,
): Promise<Caller> {
  const keys = await Promise.all(
    [...new Set(proofs.map((proof) => proof.public))].map((key) => keyOf(service, ledger, key, true)),
  );
  return withToken(keys, token, token?.key === undefined ? undefined : await keyOf(service, ledger, token.key, true));
}

/** The caller of a read: nothing but the token, and no commit to check a stranger, so strangers are looked up. */
export async function reader(service: Service, ledger: Ledger, token: Token | undefined): Promise<Caller> {
  return withToken([], token, token?.key === undefined ? undefined : await keyOf(service, ledger, token.key, false));
}

/** The keys of a caller that no signer record has. */
export function strangers(caller: Caller): string[] {
  const keys = caller.token?.key ? [...caller.proofs, caller.token.key] : caller.proofs;
  return keys.filter((key) => !key.signer).map((key) => key.public);
}

function withToken(proofs: readonly Key[], token: Token | undefined, key: Key | undefined): Caller {
  if (!token) return { proofs };
  return { proofs, token: { claims: token.claims, ...(key ? { key } : {}) } };
}

async function keyOf(service: Service, ledger: Ledger, key: string, trustAbsence: boolean): Promise<Key> {
  const known = ledger.signers.get(key);
  if (known) return { public: key, signer: known };
  if (trustAbsence && ledger.signers.has(key)) return { public: key };
  const found = await service.store.signers({ ledger: ledger.id, key, by: 'public' });
  assertCurrent(ledger, found.version);
  const signer = found.body === undefined ? undefined : signerFacts(JSON.parse(found.body), found.circles);
  if (ledger.signers.size >= limits.signers) ledger.signers.clear();
  ledger.signers.set(key, signer);
  return signer ? { public: key, signer } : { public: key };
}

function signerFacts({ data, meta }: RecordEnvelope, circles: readonly string[]): SignerFacts {
  return { ...(data as JsonObject), status: meta.status, circles } as unknown as SignerFacts;
}
