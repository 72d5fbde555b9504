import { keyCheck } from './master-key.js';
import { openSealed, seal } from './seal.js';

/** A master key as the deployment counts it. */
export interface NumberedKey {
  /** The first byte of what is sealed under it, from 1. */
  readonly number: number;
  /** What tells it from others (`keyCheck`). */
  readonly check: string;
}

/** A value is sealed under a master key that this process does not hold. */
export class MasterKeyMissing extends Error {
  constructor(number: number) {
    super(`A value is sealed under master key ${number}, which this process does not hold.`);
  }
}

/** The master keys that this process holds. While one is replaced by another, both open what they have sealed. */
export class Keyring {
  /** By their check values. */
  readonly #held = new Map<string, Buffer>();
  /** The newest first. */
  #known: readonly NumberedKey[] = [];

  /**
   * @param codes 32 bytes that authentication codes, and names that nobody can guess, are derived from: they stay the same when the
   *   master key is replaced
   * @param held 32 bytes each
   * @param known those of the deployment
   */
  constructor(
    readonly codes: Buffer,
    held: readonly Buffer[],
    known: readonly NumberedKey[],
  ) {
    this.hold(held);
    this.know(known);
  }

  /** Takes further keys. */
  hold(keys: readonly Buffer[]): void {
    for (const key of keys) this.#held.set(keyCheck(key), key);
  }

  /** Seals under the newest of these keys that this process holds, from here on. */
  know(known: readonly NumberedKey[]): void {
    this.#known = [...known].sort((one, other) => other.number - one.number);
  }

  /** Those of the deployment that this process lacks. */
  missing(): readonly NumberedKey[] {
    return this.#known.filter(({ check }) => !this.#held.has(check));
  }

  /** Check values of the keys that are held. */
  get checks(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** The number of the key that it seals under. */
  get sealing(): number {
    return this.#newest().number;
  }

  /** Encrypts a secret for storage (keys/seal.ts). */
  seal(plaintext: Buffer, context: string): Buffer {
    const { number, check } = this.#newest();
    return seal(this.#held.get(check)!, plaintext, context, number);
  }

  /** Decrypts what was sealed for this context. @throws MasterKeyMissing; Error when the value was altered or moved */
  open(sealed: Buffer, context: string): Buffer {
    const number = sealed[0] ?? 0;
    const known = this.#known.find((one) => one.number === number);
    const key = known && this.#held.get(known.check);
    return key ? openSealed(key, sealed, context, number) : this.#openBySpare(sealed, context, number);
  }

  /** Another process seals under the next key already, and this one has yet to hear of it. */
  #openBySpare(sealed: Buffer, context: string, number: number): Buffer {
    for (const key of this.#held.values()) {
      try {
        return openSealed(key, sealed, context, number);
      } catch {
        // Tried with the next one.
      }
    }
    throw new MasterKeyMissing(number);
  }

  #newest(): NumberedKey {
    const held = this.#known.find(({ check }) => this.#held.has(check));
    if (held) return held;
    throw new MasterKeyMissing(this.#known[0]?.number ?? 1);
  }
}

/** The only master key of a deployment that never had another: codes are derived from it as well. */
export function singleKey(key: Buffer): Keyring {
  return new Keyring(key, [key], [{ number: 1, check: keyCheck(key) }]);
}
