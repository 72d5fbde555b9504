import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { RecordEnvelope } from '@countersign/protocol';
import { secretNames } from '../kinds/data.js';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../service.js';
import { rsaKey } from './rsa-key.js';
import { secretValues } from './secret-values.js';
import { isProviderKey, isUsable } from './usable.js';

/** A private key that a provider signs tokens with. */
export interface SigningKey {
  /** Handle of the factor, which tokens name as `kid`. */
  readonly kid: string;
  readonly key: KeyObject;
}

/**
 * Keys by provider, for each state of a ledger: gone when the state is. Updates, proofs and drops of signers and factors
 * make a new state. New factors do not, so that there is no key is never remembered.
 */
const kept = new WeakMap<Ledger['policies'], Map<string, Promise<SigningKey | undefined>>>();

/**
 * The key that the ledger signs the provider's tokens with: that of its newest usable factor whose private key it
 * holds, so that a new one takes over at once while tokens of the one before still verify. Undefined without any.
 *
 * @param ledger must be current
 */
export async function signingKeyOf(service: Service, ledger: Ledger, provider: string): Promise<SigningKey | undefined> {
  const keys = kept.get(ledger.policies) ?? new Map<string, Promise<SigningKey | undefined>>();
  kept.set(ledger.policies, keys);
  const known = await keys.get(provider)?.catch(() => undefined);
  if (known) return known;
  const loading = load(service, ledger, provider);
  if (keys.size >= limits.providers) keys.clear();
  keys.set(provider, loading);
  const forget = () => void (keys.get(provider) === loading && keys.delete(provider));
  loading.then(({ current, key }) => key && current ? undefined : forget(), forget);
  return (await loading).key;
}
