import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { Secret } from '../base/secret.js';
import { limits } from '../limits.js';
import { makeSecureContext } from './tls.js';

/** A certificate that calls are made with, and its private key. */
export interface ClientCertificate {
  /** PEM: the certificate, then those that lead to its authority. */
  readonly chain: string;
  /** PEM. */
  readonly key: Secret;
}

/** A client certificate that no call can be made with. The message tells why, and nothing of the key. */
export class UnusableCertificate extends Error {
  override readonly name = 'UnusableCertificate';
}

/** The curves that TLS uses. A curve that a key describes by itself has no name, and may take any time to sign with. */
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/**
 * The identity of a certificate among those of all ledgers. It includes the private key: who knows the certificate
 * alone, which is public, finds no connection that was made with the key.
 */
export function certificateId(ledger: number, { chain, key }: ClientCertificate): string {
  const sum = createHash('sha256').update(`${chain.length}:`).update(chain).update(key.reveal());
  return `${ledger}/${sum.digest('base64')}`;
}

/**
 * What connections with the certificate are made with. Tenants write both, and each connection signs with the key, so keys
 * that take long to sign with are refused.
 *
 * @param ca PEM of the authorities that services are verified by; those of Node.js unless given
 * @throws UnusableCertificate for PEM that cannot be read, a key of another certificate or one with a passphrase, and keys
 *   other than RSA of up to 4,096 bits, P-256, P-384, P-521 and Ed25519
 */
export function secureContextOf(certificate: ClientCertificate, ca?: string): SecureContext {
  const { chain, key: secret } = certificate;
  const key = secret.reveal();
  if (chain.length > limits.certificates.chain) throw new UnusableCertificate('The certificate is too long');
  if (key.length > limits.certificates.key) throw new UnusableCertificate('The private key is too long');
  const privateKey = privateKeyIn(key);
  if (!isQuick(privateKey)) throw new UnusableCertificate('The private key is of a kind that is not taken');
  try {
    // A key of another kind than the certificate's would be taken, and the certificate not be shown.
    if (new X509Certificate(chain).checkPrivateKey(privateKey)) {
      return makeSecureContext({ cert: chain, key, ...(ca === undefined ? {} : { ca }) });
    }
  } catch {
    throw new UnusableCertificate('The certificate cannot be read');
  }
  throw new UnusableCertificate('The private key is not that of the certificate');
}

function privateKeyIn(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // What the library says may quote the text.
    throw new UnusableCertificate('The private key cannot be read');
  }
}

/** Whether the time to sign with a key has a bound of some milliseconds. */
function isQuick(key: KeyObject): boolean {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return true;
    case 'ec':
      return CURVES.includes(namedCurve);
    case 'rsa':
      return modulusLength <= limits.certificates.rsa && hasBoundedExponents(key, modulusLength);
    default:
      return false;
  }
}

/** Whether no part of an RSA key is longer than its modulus: signing takes time in proportion to the exponents. */
function hasBoundedExponents(key: KeyObject, bits: number): boolean {
  const { d = '', dp = '', dq = '', p = '', q = '', e = '' } = key.export({ format: 'jwk' });
  const most = Math.ceil(bits / 8);
  const isShort = (part: string, bytes: number) => Buffer.byteLength(part, 'base64url') <= bytes;
  return [d, dp, dq, p, q].every((part) => isShort(part, most)) && isShort(e, 4);
}
