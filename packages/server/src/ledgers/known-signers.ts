import type { SignerFacts } from '../access/caller.js';
import { weighJson } from '../base/json-weight.js';
import { LruCache } from '../base/lru-cache.js';
import type { Ledger } from './ledger.js';
import { stateLimits } from './state-limits.js';

/** What is known of a key; without a signer it is a key that no signer has. */
interface KnownKey {
  readonly signer: SignerFacts | undefined;
}

/** Bytes of an entry beside its signer. */
const SIGNER_ENTRY_BYTES = 300;

/** The keys of all ledgers: a tenant may have any number of signers, each as long as a body. */
const knownKeys = new LruCache<string, KnownKey>(
  stateLimits.signers,
  ({ signer }) => SIGNER_ENTRY_BYTES + weighJson(signer),
);

let instances = 0;

/** Cache of signers by public key; `undefined` marks a key that no signer has. */
export class KnownSigners {
  readonly #name = instances++;

  has(key: string): boolean {
    return knownKeys.get(this.#nameOf(key)) !== undefined;
  }

  get(key: string): SignerFacts | undefined {
    return knownKeys.get(this.#nameOf(key))?.signer;
  }

  set(key: string, signer: SignerFacts | undefined): void {
    knownKeys.set(this.#nameOf(key), { signer });
  }

  delete(key: string): void {
    knownKeys.delete(this.#nameOf(key));
  }

  #nameOf(key: string): string {
    return `${this.#name} ${key}`;
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
