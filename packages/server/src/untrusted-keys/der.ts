import { type BaseBlock, fromBER } from 'asn1js';
import { keyLimits } from './key-limits.js';

/** Tags of what keys and certificates are made of. */
export const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  sequence: 0x30,
  /** Context-specific and constructed, as `[0]`. */
  context: 0xa0,
} as const;

/** Bytes that are not the DER they should be. */
export class MalformedDer extends Error {
  override readonly name = 'MalformedDer';
}

/** A value in DER (ITU-T X.690): its tag, and its content. */
export class DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly whole: Uint8Array;
  readonly #block: BaseBlock;

  /** @throws MalformedDer for forms that BER allows and DER does not, which readers may take for different values */
  constructor(block: BaseBlock) {
    this.#block = block;
    this.whole = block.valueBeforeDecodeView;
    const [tag = 0, first = 0] = this.whole;
    this.tag = tag;
    this.content = this.whole.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f));
    const shortest = derHeader(tag, this.content.length);
    if (!shortest.equals(this.whole.subarray(0, shortest.length))) throw new MalformedDer('A length is not in DER');
    if (shortest.length + this.content.length !== this.whole.length) throw new MalformedDer('A length is wrong');
  }

  /**
   * The values in a sequence, or in a tag of the context.
   *
   * @throws MalformedDer for a value of another tag
   */
  parts(tag: number = TAG.sequence): DerValue[] {
    this.#assertIs(tag);
    const { value } = this.#block.valueBlock as unknown as { value?: readonly BaseBlock[] };
    return (value ?? []).map((block) => new DerValue(block));
  }

  /**
   * An integer that is not negative. The text that it stands in has a bound, so what is computed with it once is quick.
   *
   * @throws MalformedDer for any other value
   */
  integer(): bigint {
    this.#assertIs(TAG.integer);
    const { content } = this;
    const [first = 0x80, second = 0x80] = content;
    const isShortest = first !== 0 || content.length === 1 || second >= 0x80;
    if (first >= 0x80 || !isShortest) throw new MalformedDer('An integer is negative, or not in DER');
    return BigInt(`0x${toHex(content)}`);
  }

  /** The bytes of a bit string that has whole ones. @throws MalformedDer for any other value */
  bits(): Uint8Array {
    this.#assertIs(TAG.bits);
    if (this.content[0] !== 0) throw new MalformedDer('A bit string has no whole bytes');
    return this.content.subarray(1);
  }

  /** @throws MalformedDer for any other value */
  octets(): Uint8Array {
    this.#assertIs(TAG.octets);
    return this.content;
  }

  /** The identifier of an object, in hexadecimal as it is encoded. @throws MalformedDer for any other value */
  oid(): string {
    this.#assertIs(TAG.oid);
    return toHex(this.content);
  }

  #assertIs(tag: number): void {
    if (this.tag !== tag) throw new MalformedDer('A value has another tag');
  }
}

/**
 * The value that the bytes are, without a byte more. The parser takes time in proportion to the bytes and the number of values,
 * which has a bound; for an identifier of an object, to the square of its bytes, which have one as well.
 *
 * @throws MalformedDer
 */
export function readDer(bytes: Uint8Array): DerValue {
  const { depth: maxDepth, values: maxNodes } = keyLimits.der;
  assertIdentifiersAreShort(bytes, 0, bytes.length, maxDepth);
  const { offset, result } = parseBer(bytes, { maxDepth, maxNodes, parseEmbedded: false, copyInput: false });
  if (offset !== bytes.length || result.error) throw new MalformedDer('The bytes are not one value');
  return new DerValue(result as BaseBlock);
}

/** Bits of a tag: its class, whether it holds values, and its number. */
const TAG_BITS = { class: 0xc0, constructed: 0x20, number: 0x1f } as const;

/** Numbers of the tags OBJECT IDENTIFIER and RELATIVE-OID. */
const IDENTIFIERS: readonly number[] = [0x06, 0x0d];

/** Looks at tags and lengths alone. @throws MalformedDer for a long identifier, and where a value does not end within `end` */
function assertIdentifiersAreShort(bytes: Uint8Array, start: number, end: number, levels: number): void {
  if (levels < 0) throw new MalformedDer('The values have too many levels');
  for (let at = start; at < end; ) {
    const [tag = 0, first = 0] = bytes.subarray(at, end);
    const digits = first < 0x80 ? 0 : first & 0x7f;
    // A length that is not told is BER; a tag of more bytes is in no key.
    if (first === 0x80 || digits > 4 || (tag & TAG_BITS.number) === TAG_BITS.number)
      throw new MalformedDer('A tag is not taken');
    const content = at + 2 + digits;
    const length = digits === 0 ? first : bytes.subarray(at + 2, content).reduce((sum, byte) => sum * 256 + byte, 0);
    if (content + length > end) throw new MalformedDer('A length is wrong');
    const isIdentifier = (tag & TAG_BITS.class) === 0 && IDENTIFIERS.includes(tag & TAG_BITS.number);
    if (isIdentifier && length > keyLimits.der.identifier) throw new MalformedDer('An identifier is too long');
    if ((tag & TAG_BITS.constructed) !== 0) assertIdentifiersAreShort(bytes, content, content + length, levels - 1);
    at = content + length;
  }
}

function parseBer(...given: Parameters<typeof fromBER>): ReturnType<typeof fromBER> {
  try {
    return fromBER(...given);
  } catch {
    // Whatever the parser throws on, it is the bytes.
    throw new MalformedDer('The bytes are not one value');
  }
}

/** @param parts what it holds, in order */
export function derOf(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([derHeader(tag, content.length), content]);
}

export function sequenceOf(...parts: readonly Uint8Array[]): Buffer {
  return derOf(TAG.sequence, ...parts);
}

/** @param value not negative */
export function derInteger(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return derOf(TAG.integer, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));
}

/** @param hex as `DerValue.oid` gives it */
export function oidOf(hex: string): Buffer {
  return derOf(TAG.oid, Buffer.from(hex, 'hex'));
}

/** Tag and length, in the shortest form. */
function derHeader(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(tag, length);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | bytes.length), bytes]);
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
