import type { StateLine } from '@countersign/verifier';
import { createDeliveryMac, createOpenMac } from '../integrity/mac.js';
import type { NewDelivery } from '../store/committer/write.js';
import { ExportRefused } from './refusals.js';
import type { SectionRow } from './sections.js';

/** Authentication codes of a row that nobody signs, by their columns. */
export interface StateCodes {
  readonly mac?: string;
  readonly given_up_mac?: string;
}

/** Makes the codes of a line's row, in the ledger of that number; none for sorts that have no codes. */
export type StateCodesOf = (ledger: number, line: StateLine) => StateCodes;

export function createStateCodes(codes: Buffer): StateCodesOf {
  const openMac = createOpenMac(codes);
  const deliveryMac = createDeliveryMac(codes);
  return (ledger, line) => {
    if (line.line === 'open') return { mac: openMac(ledger, String(line.luid), String(line.state)) };
    if (line.line !== 'delivery') return {};
    const row = line as unknown as Readonly<Record<string, string | undefined>>;
    const why = row.given_up;
    return {
      mac: deliveryMac(ledger, toDecidedDelivery(line)),
      given_up_mac: why === undefined ? undefined : openMac(ledger, `$evd.${row.handle}`, why),
    };
  };
}

/** The members of a delivery that its code covers: they are fixed when it is queued. */
function toDecidedDelivery(line: StateLine): NewDelivery {
  const row = line as unknown as Record<string, unknown>;
  return {
    handle: row.handle,
    effect: row.effect,
    effectHandle: row.effect_handle,
    effectChange: row.effect_change,
    effectDomain: row.effect_domain,
    purpose: row.purpose,
    entry: row.entry,
    bridge: row.bridge,
    target: row.target,
    record: row.record,
    linked: row.linked,
    event: row.event,
  } as unknown as NewDelivery;
}

/** @throws ExportRefused for a row that does not match its codes: the MAC of the export would vouch for an altered row */
export function assertStateCode({ mac, given_up_mac }: StateCodes, row: SectionRow, line: StateLine): void {
  if (mac === (row.mac ?? undefined) && given_up_mac === (row.given_up_mac ?? undefined)) return;
  const named = line.line === 'delivery' ? `$evd.${line.handle}` : `${line.luid} under way`;
  throw new ExportRefused(`The row of ${named} is not what was stored: it was altered in the database.`);
}
