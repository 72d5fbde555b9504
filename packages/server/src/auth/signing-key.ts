import type { KeyObject } from 'node:crypto';
import type { RecordEnvelope } from '@countersign/protocol';
import { LruCache } from '../base/lru-cache.js';
import { secretNames } from '../kinds/data.js';
import type { Session } from '../ledgers/session.js';
import { readRecordText } from '../metering/task.js';
import { eachBody } from '../store/queries/bodies.js';
import { readPrivateKey } from '../untrusted-keys/private-key.js';
import { UnusableKey } from '../untrusted-keys/unusable-key.js';
import { rsaKey } from './rsa-key.js';
import { secretValues } from './secret-values.js';
import { tokenLimits } from './token-limits.js';
import { isProviderKey, isUsable } from './usable.js';

/** A private key that a provider signs tokens with. */
export interface ProviderKey {
  /** Handle of the factor, which tokens name as `kid`. */
  readonly kid: string;
  readonly key: KeyObject;
}

/**
 * Keys by ledger, its version, and provider, of all ledgers of the process. Updates, proofs and drops of signers and factors make a new state; a new
 * signer or factor does not. A cached key stays right all the same, since the oldest one signs; only found keys are
 * cached.
 */
const signingKeys = new LruCache<string, ProviderKey>(tokenLimits.providers);

/**
 * The key that the ledger signs the provider's tokens with: that of its oldest factor in use whose private key it
 * holds, or undefined. The next oldest takes over when that factor loses its secret, goes out of use or is dropped;
 * tokens signed before still verify in the first case.
 *
 * @param session its ledger must be current
 */
export async function findSigningKey(session: Session, provider: string): Promise<ProviderKey | undefined> {
  const { ledger } = session;
  const name = `${ledger.luid} ${ledger.version} ${provider}`;
  const known = signingKeys.get(name);
  if (known) return known;
  const { key, version } = await loadSigningKey(session, provider);
  if (key && version === ledger.version) signingKeys.set(name, key);
  return key;
}

/** The key, and the version of the ledger it was found at. */
async function loadSigningKey(
  session: Session,
  provider: string,
): Promise<{ key: ProviderKey | undefined; version: number }> {
  const [signer, { version, records }] = await Promise.all([
    session.store.findVersion({ ledger: session.ledger.id, kind: 'signer', id: provider, by: 'handle' }),
    session.store.find({
      ledger: session.ledger.id,
      kind: 'signer-factor',
      filters: [
        { path: 'data.signer', operator: '$eq', values: [provider] },
        { path: 'data.schema', operator: '$eq', values: ['key-pair'] },
      ],
      limit: tokenLimits.factors,
      offset: 0,
    }),
  ]);
  if (!signer.record || !isUsable(await readRecordText(session.task, signer.record.body)))
    return { key: undefined, version };
  const oldest = records.toSorted((one, other) => one.place.seq - other.place.seq);
  for await (const body of eachBody(
    session.store.bodies,
    { ledger: session.ledger.id, kind: 'signer-factor' },
    oldest,
  )) {
    const key = await findFactorKey(session, await readRecordText(session.task, body));
    if (key) return { key, version };
  }
  return { key: undefined, version };
}

/**
 * The private key of a factor, as the ledger holds it; undefined unless tokens signed with it verify under the factor.
 */
async function findFactorKey(session: Session, factor: RecordEnvelope): Promise<ProviderKey | undefined> {
  const { data, luid } = factor;
  const [name] = secretNames([data.secret]);
  if (!isProviderKey(factor) || !isUsable(factor) || name === undefined) return undefined;
  const publicKey = rsaKey(String(data.public));
  const secrets = await session.store.secrets({ ledger: session.ledger.id, luid });
  const pem = secretValues(session, luid, secrets).get(name);
  if (pem === undefined || !publicKey) return undefined;
  await session.task.turn();
  const key = privateKey(pem);
  const isOwn = key?.rsa?.modulus === publicKey.numbers.modulus && key.rsa.exponent === publicKey.numbers.exponent;
  return isOwn ? { kid: String(data.handle), key: key.key } : undefined;
}

function privateKey(pem: string): ReturnType<typeof readPrivateKey> | undefined {
  try {
    return readPrivateKey(pem);
  } catch (error) {
    // Stored before keys were judged: the provider then has no key to sign with.
    if (error instanceof UnusableKey) return undefined;
    throw error;
  }
}
