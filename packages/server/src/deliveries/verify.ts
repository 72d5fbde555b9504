import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import type { NewDelivery } from '../store/committer/write.js';

/** The luid of a delivery, given its handle. */
export function toDeliveryLuid(handle: string): string {
  return `$evd.${handle}`;
}

/** Whether the row of a delivery is what the ledger queued. Nothing of another one is parsed, sent or signed. */
export function isAsQueued(
  { integrity }: Pick<Service, 'integrity'>,
  { id }: Pick<Ledger, 'id'>,
  delivery: NewDelivery,
): boolean {
  return integrity.deliveryMac(id, delivery) === delivery.mac;
}

/** Raises the alarm. @throws Corrupt */
export function refuseDelivery(
  { integrity }: Pick<Service, 'integrity'>,
  { luid }: Pick<Ledger, 'luid'>,
  { handle }: Pick<NewDelivery, 'handle'>,
): never {
  return integrity.refuse({ ledger: luid, luid: toDeliveryLuid(handle), change: 1 }, 'is not the text that was stored');
}

/**
 * Checks that a delivery is what the ledger queued, before anything is signed for it.
 *
 * @throws Corrupt when its row was changed in the database
 */
export function verifyDelivery(
  service: Pick<Service, 'integrity'>,
  ledger: Pick<Ledger, 'id' | 'luid'>,
  delivery: NewDelivery,
): void {
  if (!isAsQueued(service, ledger, delivery)) refuseDelivery(service, ledger, delivery);
}
