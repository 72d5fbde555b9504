import type { Caller } from '../access/caller.js';
import type { Token } from '../auth/token.js';
import { type ClientProofs, signatureMissing } from '../records/proofs.js';

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
