import type { SignerFacts } from '../access/caller.js';
import { limits } from '../limits.js';
import type { Ledger } from './ledger.js';

/** Cache of signers by public key; `undefined` marks a key that no signer has. */
export class KnownSigners {
  readonly #known = new Map<string, SignerFacts | undefined>();

  has(key: string): boolean {
    return this.#known.has(key);
  }

  get(key: string): SignerFacts | undefined {
    return this.#known.get(key);
  }

  set(key: string, signer: SignerFacts | undefined): void {
    if (this.#known.size >= limits.signers) this.#known.clear();
    this.#known.set(key, signer);
  }

  delete(key: string): void {
    this.#known.delete(key);
  }
}

const ofLedgers = new WeakMap<Ledger, KnownSigners>();

/**
 * The signers cached for one state of a ledger. A change of a registered signer makes a new state; the commit checks
 * keys that are cached as unregistered.
 */
export function getKnownSigners(ledger: Ledger): KnownSigners {
  const known = ofLedgers.get(ledger) ?? new KnownSigners();
  ofLedgers.set(ledger, known);
  return known;
}
