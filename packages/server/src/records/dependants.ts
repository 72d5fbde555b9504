import type { JsonObject } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';

/**
 * Why a record must keep its handle and stay: others name it.
 *
 * @returns the first refusal; undefined when the record is free to go
 */
export async function findDependantRefusal(
  session: Session,
  kind: Kind,
  handle: string,
): Promise<{ detail: string; custom?: JsonObject } | undefined> {
  for (const dependants of kind.links.dependants ?? []) {
    const query = { ledger: session.ledger.id, kind: dependants.kind, link: handle, limit: 100 };
    const handles = await session.store.linked.keys(query);
    if (handles.length === 0) continue;
    return dependants.refusal(handle, handles);
  }
  return undefined;
}
