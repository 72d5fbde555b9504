const TABLE_PAGE_BITS = 13;
const TABLE_PAGE = 1 << TABLE_PAGE_BITS;

/** 128 bits in four words: of a SHA-256, so that nobody makes two that are the same. */
export type DigestKey = Uint32Array;

/** The first 128 bits of a hash in hex, in words that the next call overwrites. */
export function keyOfHex(hex: string, key: DigestKey = shared): DigestKey {
  for (let word = 0; word < 4; word += 1) {
    let value = 0;
    for (let at = 8 * word; at < 8 * word + 8; at += 1) {
      const code = hex.charCodeAt(at);
      value = (value << 4) | (code < A ? code & 15 : (code & 15) + 9);
    }
    key[word] = value;
  }
  return key;
}

/**
 * Numbers keys in the order in which they come: 16 bytes for each, and 8 to 16 to find it. Where a key stands depends on
 * random words of the table, so that nobody writes a file whose keys all stand in one place.
 */
export class DigestTable {
  #count = 0;
  /** The number behind each key, and 1 more; 0 is free. */
  #slots = new Int32Array(1024);
  readonly #pages: Uint32Array[] = [];

  /** @param seed eight words that who wrote the keys does not know */
  constructor(private readonly seed: Uint32Array = web.crypto.getRandomValues(new Uint32Array(8))) {}

  get count(): number {
    return this.#count;
  }

  /** The number of the key; -1 where it has none. */
  find(key: DigestKey): number {
    return this.#slots[this.#slotOf(key)]! - 1;
  }

  /** The number of the key, which is the next one where it is new. */
  put(key: DigestKey): number {
    const slot = this.#slotOf(key);
    const known = this.#slots[slot]! - 1;
    if (known >= 0) return known;
    const number = this.#count;
    this.#count += 1;
    if (this.#pages.length * TABLE_PAGE < this.#count) this.#pages.push(new Uint32Array(4 * TABLE_PAGE));
    this.#pages[number >>> TABLE_PAGE_BITS]!.set(key, 4 * (number & (TABLE_PAGE - 1)));
    this.#slots[slot] = number + 1;
    if (2 * this.#count > this.#slots.length) this.#grow();
    return number;
  }

  /** The key of a number. @param key whose words are overwritten */
  get(number: number, key: DigestKey): DigestKey {
    const at = 4 * (number & (TABLE_PAGE - 1));
    key.set(this.#pages[number >>> TABLE_PAGE_BITS]!.subarray(at, at + 4));
    return key;
  }

  /** Where the key is, or would be. */
  #slotOf(key: DigestKey): number {
    const last = this.#slots.length - 1;
    let slot = this.#mix(key[0]!, key[1]!, key[2]!, key[3]!) & last;
    while (this.#slots[slot] !== 0 && !this.#isAt(this.#slots[slot]! - 1, key)) slot = (slot + 1) & last;
    return slot;
  }

  /**
   * A random sum of the halves of the words, modulo a prime: of two keys that differ, whoever chose them, as few have the same
   * as of two that nobody chose. Of products modulo a power of two, high bits of the words alone would fill few places.
   */
  #mix(one: number, two: number, three: number, four: number): number {
    const { seed } = this;
    const sum =
      (one >>> 16) * seed[0]! +
      (one & HALF) * seed[1]! +
      (two >>> 16) * seed[2]! +
      (two & HALF) * seed[3]! +
      (three >>> 16) * seed[4]! +
      (three & HALF) * seed[5]! +
      (four >>> 16) * seed[6]! +
      (four & HALF) * seed[7]!;
    // Below 2^51, so each step is exact; 2^31 is 1 modulo the prime.
    const high = Math.floor(sum / 2 ** 31);
    const rest = sum - high * 2 ** 31 + high;
    return rest >= PRIME ? rest - PRIME : rest;
  }

  #isAt(number: number, key: DigestKey): boolean {
    const page = this.#pages[number >>> TABLE_PAGE_BITS]!;
    const at = 4 * (number & (TABLE_PAGE - 1));
    return page[at] === key[0] && page[at + 1] === key[1] && page[at + 2] === key[2] && page[at + 3] === key[3];
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const last = slots.length - 1;
    for (let number = 0; number < this.#count; number += 1) {
      const page = this.#pages[number >>> TABLE_PAGE_BITS]!;
      const at = 4 * (number & (TABLE_PAGE - 1));
      let slot = this.#mix(page[at]!, page[at + 1]!, page[at + 2]!, page[at + 3]!) & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** Of browsers and Node alike. */
const web = globalThis as unknown as { readonly crypto: { getRandomValues(words: DigestKey): DigestKey } };

const HALF = 0xffff;
const PRIME = 2 ** 31 - 1;

const shared: DigestKey = new Uint32Array(4);
/** The first letter; digits are below. */
const A = 0x41;
