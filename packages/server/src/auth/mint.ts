import type { Session } from '../ledgers/session.js';
import type { Client } from './client.js';
import { domainsAbove, domainsOfSigner, providersOf, vouchesFor } from './providers.js';
import { signRs256 } from './rs256.js';
import { findSigningKey } from './signing-key.js';

/** A token made for a client. */
export interface MintedToken {
  readonly token: string;
  /** Seconds it lives. */
  readonly ttl: number;
}

/**
 * Makes an access token for a client (interface/tokens#token-endpoint): signed for the first provider, in the order of
 * the policies, that vouches for signers like the client's and whose private key the ledger holds.
 *
 * @param session its ledger must be current
 * @returns `not-enabled` when the policies name no provider for the client
 * @throws Error when all providers they name lack a usable private key; what `signRs256` throws
 */
export async function mint(session: Session, client: Client): Promise<MintedToken | 'not-enabled'> {
  const signer = domainsAbove(session.ledger, client.domain);
  let named = false;
  for (const provider of providersOf(session.ledger)) {
    const { handle, ttl, target, domain } = provider;
    if (target !== undefined && target !== client.schema) continue;
    if (domain !== undefined && !signer.has(domain)) continue;
    const own = domain === undefined ? signer : await domainsOfSigner(session, handle);
    if (!vouchesFor(provider, { provider: own, signer })) continue;
    named = true;
    const signing = await findSigningKey(session, handle);
    if (!signing) continue;
    const now = Math.floor(session.runtime.now() / 1000);
    const claims = {
      iss: handle,
      cid: client.factor,
      sub: client.signer,
      aud: session.publicUrl,
      iat: now,
      exp: now + ttl,
    };
    const header = { alg: 'RS256', kid: signing.kid };
    return { token: await signRs256(session.ledger.id, signing.key, header, claims), ttl };
  }
  if (!named) return 'not-enabled';
  throw new Error(`No provider of ledger ${session.ledger.handle} has a private key to sign tokens with.`);
}
