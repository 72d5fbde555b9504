import { kinds } from '../../kinds/registry.js';

/** The names of all kinds. */
export const ALL_KINDS: readonly string[] = kinds.map(({ name }) => name);

/**
 * A query of the last moment of a ledger, as SQL: of each kind that of the newest record, and that of the last decision on an
 * intent. Each is found at one end of an index. Drops and erasures leave no record, and none of these moments.
 *
 * @param ledger an expression of the ledger's id
 * @param names one of the names of kinds, an array
 */
export function newestMoment(ledger: string, names: string): string {
  return `select greatest(max(n.moment), (select h.moment from home h where h.ledger_id = ${ledger})) as moment
  from unnest(${names}) as k(kind),
    lateral (
      select r.moment from record r where r.ledger_id = ${ledger} and r.kind || '' = k.kind
      order by r.moment desc, r.seq limit 1) n`;
}
