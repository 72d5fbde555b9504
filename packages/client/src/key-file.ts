import { decodeBase64 } from '@countersign/protocol';

/** The parameters of scrypt (RFC 7914). A file says them, so that it is read whatever they are. */
export interface ScryptWork {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** A private key that scrypt and AES-256-CBC keep, as the command writes it (PBES2, RFC 8018). */
export interface SealedKey {
  readonly salt: Uint8Array;
  readonly work: ScryptWork;
  readonly iv: Uint8Array;
  /** PKCS#8 in DER. */
  readonly encrypted: Uint8Array;
}

/** What a file may ask for: memory in bytes, and times that it is filled. */
export const MOST_KEY_WORK = { memory: 512 * 1024 * 1024, p: 16 };

/** Object identifiers, as the content of their DER in hex. */
const PBES2 = '2a864886f70d01050d';
const SCRYPT = '2b06010401da47040b';
const AES_256_CBC = '60864801650304012a';

/** A value of DER (X.690): its tag, and its content. */
interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The parts of an encrypted private key in PEM; undefined for one that is kept in another way. */
export function parseSealedKey(pem: string): SealedKey | undefined {
  const base64 = /-----BEGIN ENCRYPTED PRIVATE KEY-----([A-Za-z0-9+/=\s]*)-----END/.exec(pem)?.[1] ?? '';
  const [info] = elementsIn(decodeBase64(base64.replace(/\s/g, '')) ?? new Uint8Array()) ?? [];
  const [algorithm, encrypted] = childrenOf(info);
  const [scheme, parameters] = childrenOf(algorithm);
  const [derivation, cipher] = childrenOf(parameters);
  const [kdf, given] = childrenOf(derivation);
  const [aes, iv] = childrenOf(cipher);
  const [salt, ...numbers] = childrenOf(given);
  const isScrypt = is(scheme, PBES2) && is(kdf, SCRYPT) && is(aes, AES_256_CBC);
  if (!isScrypt || !salt || !iv || !encrypted || numbers.length < 3) return undefined;
  const [N = 0, r = 0, p = 0] = numbers.map(({ content }) => Number(`0x${hexOf(content) || '0'}`));
  return { salt: salt.content, work: { N, r, p }, iv: iv.content, encrypted: encrypted.content };
}

function childrenOf(element: Element | undefined): Element[] {
  return (element?.tag === 0x30 ? elementsIn(element.content) : undefined) ?? [];
}

/** Whether a value is this OBJECT IDENTIFIER. */
function is(element: Element | undefined, identifier: string): boolean {
  return element?.tag === 0x06 && hexOf(element.content) === identifier;
}

/** The values that follow one another in some bytes; undefined where they are none. */
function elementsIn(bytes: Uint8Array): Element[] | undefined {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
    const wide = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + wide;
    if (wide > 2 || first === 0x80 || start > bytes.length) return undefined;
    const length = wide === 0 ? first : Number(`0x${hexOf(bytes.subarray(at + 2, start))}`);
    if (start + length > bytes.length) return undefined;
    elements.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
