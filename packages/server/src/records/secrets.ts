import { type JsonObject, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import { sealContext } from '../keys/seal.js';
import type { SecretKey } from '../kinds/declaration.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import { judgeChain, readClientCertificate } from '../untrusted-keys/certificate.js';
import { assertSound, readPrivateKey } from '../untrusted-keys/private-key.js';
import { RSA_SIZES } from '../untrusted-keys/public-key.js';
import { UnusableKey } from '../untrusted-keys/unusable-key.js';

/**
 * The values of the secret references in `data`, sealed for this record. They are sent beside the signed data, and
 * never served with it (interface/signers#secrets).
 *
 * @param sent values of the request's `meta.secret`; names that `data` does not refer to are ignored
 * @param kept names whose value the record already has, which an update may leave out
 * @throws `record.invalid` for a new secret reference whose value is missing
 */
export function sealSecrets(
  session: Session,
  kind: Kind,
  data: JsonObject,
  luid: string,
  sent: Readonly<Record<string, string>>,
  kept: ReadonlySet<string>,
): { name: string; sealed: Buffer }[] {
  return [...new Set(kind.secrets.names?.(data) ?? [])].flatMap((name) => {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value !== undefined) {
      return [
        {
          name,
          sealed: session.keys.seal(Buffer.from(value, 'utf8'), sealContext(session.ledger.luid, luid, name)),
        },
      ];
    }
    if (kept.has(name)) return [];
    throw new LedgerError(
      'record.invalid',
      `Record data has a secret reference to new secret '${name}' but no secret value was provided in 'meta.secret.${name}'`,
    );
  });
}

/**
 * Judges the private keys among the secrets of a record, and their certificates, as they are sent: what the record has already
 * is judged when it is used.
 *
 * @param sent values of the request's `meta.secret`
 * @param previous the data that an update replaces
 * @throws `record.invalid` for one that is not taken (interface/signers#key-pairs, interface/bridges#security-at-call-time)
 */
export async function checkSecretKeys(
  session: Pick<Session, 'task' | 'runtime'>,
  kind: Kind,
  data: JsonObject,
  sent: Readonly<Record<string, string>>,
  previous?: JsonObject,
): Promise<void> {
  const kept = new Set((previous && kind.secrets.keys?.(previous))?.map(({ certificates }) => certificates));
  for (const key of kind.secrets.keys?.(data) ?? []) {
    const pem = Object.hasOwn(sent, key.secret) ? sent[key.secret] : undefined;
    if (pem === undefined && kept.has(key.certificates)) continue;
    try {
      await assertCertificateTaken(session, key, pem);
    } catch (error) {
      if (!(error instanceof UnusableKey)) throw error;
      throw new LedgerError('record.invalid', `${key.subject} cannot be used: ${error.message}`);
    }
  }
}

/** @throws UnusableKey */
async function assertCertificateTaken(
  { task, runtime }: Pick<Session, 'task' | 'runtime'>,
  { certificates }: SecretKey,
  pem: string | undefined,
): Promise<void> {
  await task.turn();
  if (certificates !== undefined) judgeChain(certificates);
  if (pem === undefined) return;
  const key = readPrivateKey(pem);
  if (certificates !== undefined) readClientCertificate(certificates, pem);
  else if (!key.rsa) throw new UnusableKey(`The private key is not ${RSA_SIZES}`);
  if (key.rsa) await task.turn();
  assertSound(key, runtime.random);
}

/** Names of the values a record has, which an update may leave out. Looked up only where the data has references. */
export async function loadSecretNames(
  session: Session,
  kind: Kind,
  record: RecordEnvelope,
): Promise<ReadonlySet<string>> {
  if (!kind.secrets.names?.(record.data).length) return new Set();
  const secrets = await session.store.secrets({ ledger: session.ledger.id, luid: record.luid });
  return new Set(secrets.map((secret) => secret.name));
}
