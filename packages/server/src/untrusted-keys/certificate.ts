import { X509Certificate } from 'node:crypto';
import { type DerValue, MalformedDer, readDer, TAG } from './der.js';
import { keyLimits } from './key-limits.js';
import { bytesOfPem, pemBlocks, toPem } from './pem.js';
import { readPrivateKey } from './private-key.js';
import { isTakenPublicKey } from './public-key.js';
import { UnusableKey } from './unusable-key.js';

/** A client certificate that was judged, as PEM that is written here. */
export interface JudgedCertificate {
  /** The certificate, then those that lead to its authority. */
  readonly chain: string;
  readonly key: string;
}

/**
 * A certificate with its chain, and its private key, as clients write them (interface/bridges#security-rules).
 *
 * @param chain PEM
 * @param key PEM
 * @throws UnusableKey for a chain or key that `judgeChain` or `readPrivateKey` refuses, and a key of another certificate
 */
export function readClientCertificate(chain: string, key: string): JudgedCertificate {
  const certificates = judgeChain(chain);
  const { key: privateKey } = readPrivateKey(key);
  // A key of another kind than the certificate's would be taken, and the certificate not be shown.
  if (!isCertificateOf(certificates[0]!, privateKey))
    throw new UnusableKey('The private key is not that of the certificate');
  return {
    chain: certificates.map((der) => toPem('CERTIFICATE', der)).join(''),
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

const UNREADABLE_CERTIFICATE = 'The certificate cannot be read';

/**
 * The certificates of a chain in DER, one at least. Only the form, and the public keys, are judged.
 *
 * @throws UnusableKey for a chain that is too long or cannot be read, or has a key that is not taken
 */
export function judgeChain(chain: string): readonly Buffer[] {
  const { characters, count } = keyLimits.chain;
  if (chain.length > characters) throw new UnusableKey('The certificate is too long');
  const blocks = pemBlocks(chain).filter(({ label }) => label === 'CERTIFICATE');
  if (blocks.length > count) throw new UnusableKey(`There are more than ${count} certificates`);
  const certificates = blocks.map(bytesOfPem);
  if (certificates.length === 0 || !certificates.every((der) => der !== undefined))
    throw new UnusableKey(UNREADABLE_CERTIFICATE);
  if (certificates.every(hasTakenKey)) return certificates;
  throw new UnusableKey('A certificate has a key of a kind that is not taken');
}

function hasTakenKey(der: Buffer): boolean {
  try {
    return isTakenPublicKey(publicKeyInfoOf(readDer(der)));
  } catch (error) {
    if (error instanceof MalformedDer) throw new UnusableKey(UNREADABLE_CERTIFICATE);
    throw error;
  }
}

/** The SubjectPublicKeyInfo of a Certificate (RFC 5280, 4.1): version, where it is given, and five others stand before it. */
function publicKeyInfoOf(certificate: DerValue): DerValue {
  const [signed] = certificate.parts();
  const parts = signed?.parts() ?? [];
  const found = parts[parts[0]?.tag === TAG.context ? 6 : 5];
  if (!found) throw new MalformedDer('A certificate has no key');
  return found;
}

function isCertificateOf(certificate: Buffer, key: Parameters<X509Certificate['checkPrivateKey']>[0]): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(key);
  } catch {
    throw new UnusableKey(UNREADABLE_CERTIFICATE);
  }
}
