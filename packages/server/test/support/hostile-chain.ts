import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { bigintOf, der, integer, pem } from './crafted-keys.js';

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const SHA256_WITH_RSA = der(0x30, oid('2a864886f70d01010b'), der(0x05));
const VALID = der(0x30, ...['200101000000Z', '491231235959Z'].map((time) => der(0x17, Buffer.from(time))));

/**
 * A certificate for `127.0.0.1` with its key, and so many that lead to no authority. Whoever verifies them raises a number of
 * 3,072 bits to a power of as many bits for each. Their signatures are no signatures.
 */
export function hostileChain(count: number): { readonly cert: string; readonly key: string } {
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const address = der(0x30, oid('551d11'), der(0x04, der(0x30, der(0x87, Buffer.of(127, 0, 0, 1)))));
  const authority = der(
    0x30,
    oid('551d13'),
    der(0x01, Buffer.of(0xff)),
    der(0x04, der(0x30, der(0x01, Buffer.of(0xff)))),
  );
  const others = Array.from({ length: count }, (_, at) => certificate(`c${at + 1}`, `c${at}`, slowKey(), authority));
  const spki = leaf.publicKey.export({ type: 'spki', format: 'der' });
  return {
    cert: [certificate('c0', 'leaf', spki, address), ...others].join(''),
    key: String(leaf.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

function certificate(issuer: string, subject: string, spki: Uint8Array, extension: Uint8Array): string {
  const parts = [
    der(0xa0, integer(2n)),
    integer(bigintOf(randomBytes(8)) + 1n),
    SHA256_WITH_RSA,
    nameOf(issuer),
    VALID,
    nameOf(subject),
    spki,
    der(0xa3, der(0x30, extension)),
  ];
  const signature = Buffer.concat([Buffer.of(0, 1), randomBytes(383)]);
  return pem('CERTIFICATE', der(0x30, der(0x30, ...parts), SHA256_WITH_RSA, der(0x03, signature)));
}

function nameOf(common: string): Buffer {
  return der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(common)))));
}

function slowKey(): Buffer {
  const numbers = [384, 380].map((bytes) => integer(bigintOf(randomBytes(bytes)) | (1n << BigInt(8 * bytes - 2)) | 1n));
  const algorithm = der(0x30, oid('2a864886f70d010101'), der(0x05));
  return der(0x30, algorithm, der(0x03, Buffer.of(0), der(0x30, ...numbers)));
}
