import { CURVES, type Curve } from './curves.js';
import { type DerValue, derOf, oidOf, sequenceOf, TAG } from './der.js';

/** What a key is for, as it says by itself. */
export type Algorithm =
  | { readonly name: 'rsa' | 'ed25519' }
  | { readonly name: 'ec'; readonly curve: Curve; readonly curveId: string };

/** Identifiers of algorithms: rsaEncryption, id-ecPublicKey, id-Ed25519. */
const RSA = '2a864886f70d010101';
const EC = '2a8648ce3d0201';
const ED25519 = '2b6570';

/**
 * The algorithm of an AlgorithmIdentifier (RFC 5280, 4.1.1.2), undefined for all that are not taken: DSA, RSA-PSS, X25519,
 * curves other than those of TLS, and curves that are described by numbers.
 *
 * @throws MalformedDer
 */
export function readAlgorithm(value: DerValue): Algorithm | undefined {
  const [id, parameters, ...rest] = value.parts();
  if (!id || rest.length > 0) return undefined;
  switch (id.oid()) {
    case RSA:
      return parameters === undefined || parameters.tag === TAG.null ? { name: 'rsa' } : undefined;
    case ED25519:
      return parameters === undefined ? { name: 'ed25519' } : undefined;
    case EC:
      return parameters?.tag === TAG.oid ? curveOf(parameters.oid()) : undefined;
    default:
      return undefined;
  }
}

/** @param id identifier of the curve, in hexadecimal */
export function curveOf(id: string): Algorithm | undefined {
  const curve = CURVES.get(id);
  return curve && { name: 'ec', curve, curveId: id };
}

export function writeAlgorithm(algorithm: Algorithm): Buffer {
  switch (algorithm.name) {
    case 'rsa':
      return sequenceOf(oidOf(RSA), derOf(TAG.null));
    case 'ed25519':
      return sequenceOf(oidOf(ED25519));
    case 'ec':
      return sequenceOf(oidOf(EC), oidOf(algorithm.curveId));
  }
}
