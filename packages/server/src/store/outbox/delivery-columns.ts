import { OUT_OF_USE } from '../../kinds/in-use.js';
import type { NewDelivery } from '../committer/write.js';

/** What was decided about a delivery when it was queued, for a select from `delivery d`. */
export const DELIVERY_COLUMNS = `d.handle, d.effect, d.effect_handle as "effectHandle", d.effect_change as "effectChange",
  d.effect_domain as "effectDomain", d.purpose, d.entry, d.bridge, d.target, d.record, d.linked, d.event, d.mac`;

/** Whether the effect of that luid exists and is in use, in ledger `$1`. */
export function effectActs(luid: string): string {
  const statuses = OUT_OF_USE.map((status) => `'${status}'`).join(', ');
  return `exists (
    select from record e
    where e.ledger_id = $1 and e.luid = ${luid} and coalesce(e.status, '') not in (${statuses}))`;
}

/** What failures are counted by, and what further attempts are shared by: the effect; for calls for intents, the target. */
export function receiverOf(delivery: string): string {
  return `coalesce(${delivery}.effect, ${delivery}.target)`;
}

/** Whether a delivery is set aside, as the partial indexes have it. An earlier release may end one and leave `aside`. */
export function isSetAside(delivery: string): string {
  return `${delivery}.aside is not null and ${delivery}.due is null and ${delivery}.status in ('pending', 'failed')`;
}

/** Failed attempts in a row of the receiver of a delivery, in ledger `$1`. */
export function failuresOf(delivery: string): string {
  return `coalesce((
    select q.failures from delivery_backlog q where q.ledger_id = $1 and q.receiver = ${receiverOf(delivery)}), 0)`;
}

/** Whether a delivery may have to wait with others: not one that was taken up, nor a call for an intent, which somebody waits for. */
export function mayRest(delivery: string): string {
  return `(${delivery}.purpose is null and ${delivery}.aside is null)`;
}

type Optional = 'effect' | 'effectHandle' | 'effectChange' | 'effectDomain' | 'purpose' | 'entry' | 'bridge' | 'linked';

/** A row with these columns, of which some may be null. */
export type DeliveryColumns<D extends NewDelivery> = Omit<D, Optional> & {
  readonly [Name in Optional]: NonNullable<NewDelivery[Name]> | null;
};

export function withoutNulls<D extends NewDelivery>(row: DeliveryColumns<D>): D {
  const { effect, effectHandle, effectChange, effectDomain, purpose, entry, bridge, linked, ...others } = row;
  return {
    ...others,
    ...(effect === null ? {} : { effect }),
    ...(effectHandle === null ? {} : { effectHandle }),
    ...(effectChange === null ? {} : { effectChange }),
    ...(effectDomain === null ? {} : { effectDomain }),
    ...(purpose === null ? {} : { purpose }),
    ...(entry === null ? {} : { entry }),
    ...(bridge === null ? {} : { bridge }),
    ...(linked === null ? {} : { linked }),
  } as unknown as D;
}
