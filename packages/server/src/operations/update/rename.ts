import { type JsonObject, LedgerError } from '@countersign/protocol';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import { assertNamedWithin } from '../../records/domain.js';
import { recordKeyOf } from '../../records/version.js';

/**
 * @param domain the one that the record is in
 * @throws `record.duplicated` when the new handle is taken; `record.update-rejected` when the kind fixes handles, or
 *   the new one names another domain
 */
export async function assertRenamable(
  session: Session,
  kind: Kind,
  previous: JsonObject,
  data: JsonObject,
  domain: string | undefined,
): Promise<void> {
  const query = { ledger: session.ledger.id, kind: kind.name, id: recordKeyOf(kind, { data }), by: 'handle' } as const;
  if ((await session.store.findVersion(query)).record) throw handleTaken(kind, data);
  if (kind.links.renamable === false) throw renameRejected(kind, previous);
  assertNamedWithin(session.ledger, kind, previous, data, domain);
}

/** The error for an update whose new handle is taken. */
export function handleTaken(kind: Kind, data: JsonObject): LedgerError {
  return new LedgerError('record.duplicated', `${kind.title} with handle ${data.handle} already exists.`);
}

/** The error for an update that changes a fixed handle. */
export function renameRejected(kind: Kind, { handle }: JsonObject): LedgerError {
  return new LedgerError('record.update-rejected', `Cannot change handle of ${kind.name} '${handle}'`);
}
