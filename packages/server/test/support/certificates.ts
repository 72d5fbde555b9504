import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** An X.509 certificate with its private key, made for tests. Both are PEM. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly privateKey: KeyObject;
  /** The common name. */
  readonly name: string;
}

/** The kinds of keys that tests need, with the algorithms that certificates of theirs are signed with. */
const KEYS = {
  ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  secp256k1: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  ed25519: () => generateKeyPairSync('ed25519'),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
};

/** An authority, whose certificate is signed by itself. */
export function makeAuthority(name: string): TestCertificate {
  return make(name, 'ec', undefined);
}

/** A certificate for `127.0.0.1`, and for clients, that an authority has signed. */
export function issueCertificate(
  authority: TestCertificate,
  name: string,
  kind: keyof typeof KEYS = 'ec',
): TestCertificate {
  return make(name, kind, authority);
}

function make(name: string, kind: keyof typeof KEYS, authority: TestCertificate | undefined): TestCertificate {
  const { publicKey, privateKey } = KEYS[kind]();
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  // RFC 5280, section 4.1: version 3, serial number, algorithm, issuer, validity, subject, key, extensions.
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(authority?.name ?? name),
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...(authority ? [ADDRESS] : [IS_AUTHORITY]))),
  );
  const signature = sign('sha256', body, authority?.privateKey ?? privateKey);
  const der = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.of(0), signature));
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines(der)}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    privateKey,
    name,
  };
}

function lines(der: Buffer): string {
  return (der.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
}

/** A value in DER: its tag, its length, and what it holds. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...head), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function integer(value: Buffer): Buffer {
  return tagged(0x02, value);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(text: string): Buffer {
  return tagged(0x17, Buffer.from(text));
}

function nameOf(common: string): Buffer {
  return sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(common)))));
}

/** basicConstraints, critical: an authority. */
const IS_AUTHORITY = sequence(
  oid('551d13'),
  tagged(0x01, Buffer.of(0xff)),
  tagged(0x04, sequence(tagged(0x01, Buffer.of(0xff)))),
);

/** subjectAltName: the address 127.0.0.1. */
const ADDRESS = sequence(oid('551d11'), tagged(0x04, sequence(tagged(0x87, Buffer.of(127, 0, 0, 1)))));
