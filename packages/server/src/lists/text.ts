import { moment } from '../base/clock.js';
import type { ListItem } from '../integrity/items.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';

/**
 * A signed list (interface/lists): `hash` is over `data`, the proof is the ledger's.
 *
 * @param ledger absent for the list of ledgers, which is unsigned
 */
export function listText(
  { suite, runtime }: Service,
  ledger: Ledger | undefined,
  items: readonly ListItem[],
  page?: { index: number; limit: number; total?: number },
): string {
  // The canonical form of a list is made of those of its items, in their order.
  const hash = suite.sha256(`[${items.map(({ canonical }) => canonical).join(',')}]`);
  const now = moment(runtime);
  const proofs = ledger ? ledger.system.vouch(hash, { moment: now }) : [];
  const head = JSON.stringify({ hash, meta: { proofs, moment: now } }).slice(0, -1);
  const data = items.map(({ text }) => text).join(',');
  return `${head},"data":[${data}]${page ? `,"page":${JSON.stringify(page)}` : ''}}`;
}
