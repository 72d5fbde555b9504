import { isLuid, luidId } from '@countersign/protocol';
import type { Caller } from '../../access/caller.js';
import { type AccessRequest, authorize, toAccessRequest } from '../../authorization/authorize.js';
import { conditionsOf } from '../../authorization/conditions.js';
import { listDomainsReaching } from '../../events/bridge-border.js';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import type { StoredRecord } from '../../records/stored-record.js';
import type { DeliveryScope } from '../../store/outbox/delivery-list.js';

/** Whether records of the kind have deliveries. */
export function hasDeliveries({ lifecycle }: Kind): boolean {
  return lifecycle.deliveries !== undefined;
}

/** The deliveries of a record, and the record's luid. */
export interface OwnedDeliveries extends DeliveryScope {
  readonly luid: string;
}

/**
 * The deliveries of an effect or bridge, once its rules let the caller do that with them (interface/effects#access).
 *
 * @throws as `authorize` does
 */
export async function authorizeDeliveries(
  session: Session,
  kind: Kind,
  stored: StoredRecord,
  caller: Caller,
  action: AccessRequest['action'],
): Promise<OwnedDeliveries> {
  const asked = toAccessRequest(action, kind, stored);
  const conditions = await conditionsOf(session, caller, asked.subject);
  await authorize(session, caller, { ...asked, conditions });
  const { ledger } = session;
  const { luid, data, meta } = stored.record;
  const scope = { ledger: ledger.id, luid };
  if (kind.lifecycle.deliveries === 'effect') return { ...scope, owner: 'effect', id: luid, domains: null };
  return { ...scope, owner: 'bridge', id: String(data.handle), domains: listDomainsReaching(ledger, meta.domain) };
}

/** The handle of a delivery, given as such or as a luid; undefined for what is neither. */
export function parseDeliveryHandle(id: string): string | undefined {
  const luid = id.startsWith('$') ? id : `$evd.${id}`;
  return isLuid(luid, 'evd') ? luidId(luid) : undefined;
}
