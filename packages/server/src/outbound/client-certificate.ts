import { createHash } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { Secret } from '../base/secret.js';
import { readClientCertificate } from '../untrusted-keys/certificate.js';
import { UnusableKey } from '../untrusted-keys/unusable-key.js';
import { makeSecureContext } from './tls.js';

/** A certificate that calls are made with, and its private key. */
export interface ClientCertificate {
  /** PEM: the certificate, then those that lead to its authority. */
  readonly chain: string;
  /** PEM. */
  readonly key: Secret;
}

/**
 * The identity of a certificate among those of all ledgers. It includes the private key: who knows the certificate
 * alone, which is public, finds no connection that was made with the key.
 */
export function certificateId(ledger: number, { chain, key }: ClientCertificate): string {
  const sum = createHash('sha256').update(`${chain.length}:`).update(chain).update(key.reveal());
  return `${ledger}/${sum.digest('base64')}`;
}

/**
 * What connections with the certificate are made with. Tenants write both, and each connection signs with the key, so both are
 * judged before OpenSSL is given any of it.
 *
 * @param ca PEM of the authorities that services are verified by; those of Node.js unless given
 * @throws UnusableKey
 */
export function secureContextOf({ chain, key }: ClientCertificate, ca?: string): SecureContext {
  const judged = readClientCertificate(chain, key.reveal());
  try {
    return makeSecureContext({ cert: judged.chain, key: judged.key, ca });
  } catch {
    throw new UnusableKey('The certificate cannot be read');
  }
}
