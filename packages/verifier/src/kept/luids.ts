import { isLuid, type Suite } from '@countersign/protocol';
import { type DigestKey, DigestTable, keyOfHex } from './digest-table.js';

/** Numbers luids as they come, and keeps each as the 117 bits that it says: three letters and 17 digits of 64. */
export class Luids {
  readonly #table = new DigestTable();
  /** What only looks like one, which a record cannot have. */
  readonly #others = new Map<number, string>();
  readonly #key: DigestKey = new Uint32Array(4);

  constructor(private readonly suite: Pick<Suite, 'sha256'>) {}

  get count(): number {
    return this.#table.count;
  }

  /** The number of the luid; -1 where it has none. */
  find(luid: string): number {
    return this.#table.find(this.#keyOf(luid));
  }

  /** The number of the luid, which is the next one where it is new. */
  put(luid: string): number {
    const { count } = this;
    const number = this.#table.put(this.#keyOf(luid));
    if (number === count && !isLuid(luid)) this.#others.set(number, luid);
    return number;
  }

  get(number: number): string {
    return this.#others.get(number) ?? unpack(this.#table.get(number, this.#key));
  }

  #keyOf(luid: string): DigestKey {
    if (isLuid(luid)) return pack(luid, this.#key);
    keyOfHex(this.suite.sha256(luid), this.#key)[0] = NO_LUID;
    return this.#key;
  }
}

const LUID_DIGITS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const DIGIT_VALUES = new Uint8Array(128);
for (let digit = 0; digit < LUID_DIGITS.length; digit += 1) DIGIT_VALUES[LUID_DIGITS.charCodeAt(digit)] = digit;
/** More than the first word of any luid. */
const NO_LUID = 2 ** 32 - 1;

/** Five digits fill a word, and the first word has what is before them: the letters that tell the kind, and two digits. */
function pack(luid: string, key: DigestKey): DigestKey {
  let at = 1;
  const take = (count: number, from: number) => {
    let word = from;
    for (const end = at + count; at < end; at += 1) word = (word << 6) | DIGIT_VALUES[luid.charCodeAt(at)]!;
    return word;
  };
  const kind = take(3, 0);
  at += 1;
  key[0] = take(2, kind);
  key[1] = take(5, 0);
  key[2] = take(5, 0);
  key[3] = take(5, 0);
  return key;
}

function unpack(key: DigestKey): string {
  const digits = (word: number, count: number) => {
    let text = '';
    for (let left = count - 1; left >= 0; left -= 1) text += LUID_DIGITS[(word >>> (6 * left)) & 63]!;
    return text;
  };
  const [first, ...others] = key;
  return `$${digits(first! >>> 12, 3)}.${digits(first!, 2)}${others.map((word) => digits(word, 5)).join('')}`;
}
