import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json } from '../../src/index.js';

/** The wire format once more, from other libraries than ours, to check it against. */

const serialize = canonicalize as unknown as (value: unknown) => string;

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

export const otherCanonical = (value: Json): string => serialize(value);

export const otherSha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

const privateKey = (secret: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });

const publicKey = (bytes: Uint8Array) =>
  createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' });

export const otherPublicKey = (secret: Uint8Array): Uint8Array =>
  createPublicKey(privateKey(secret)).export({ type: 'spki', format: 'der' }).subarray(-32);

export const otherSign = (message: Uint8Array, secret: Uint8Array): Uint8Array =>
  sign(null, message, privateKey(secret));

export const otherVerify = (signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean =>
  verify(null, message, publicKey(key), signature);
