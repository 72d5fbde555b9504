import { type JsonObject, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import { seal, sealContext } from '../keys/seal.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';

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
          sealed: seal(session.masterKey, Buffer.from(value, 'utf8'), sealContext(session.ledger.luid, luid, name)),
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
