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
