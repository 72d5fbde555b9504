import type pg from 'pg';
import type { KindName } from '../../kinds/kind.js';
import { textArray } from '../parameters.js';
import { type Queryable, throwIfTooLong } from './statement.js';
import { formatUnnest } from './unnested.js';
import { type Sized, type Version, type VersionSource, versionsOf } from './version.js';

/**
 * Versions of a ledger's records, in the order asked for: the sizes of all, and the bodies of the first ones, up to
 * `most` bytes together, but at least one. They are unchecked: the caller verifies them.
 */
export type Bodies = (query: BodiesQuery & { readonly kind: KindName }) => Promise<readonly Sized[]>;

/** Which versions of a ledger's records, of any kinds. */
export interface BodiesQuery {
  readonly ledger: number;
  readonly of: readonly Pick<Version, 'luid' | 'change'>[];
  readonly most: number;
}

const BODIES_SQL = `
select v.luid, v.change, c.action, c.mac, octet_length(c.body) as size,
  case when v.ord = 0 or sum(octet_length(c.body)) over (order by v.ord rows unbounded preceding) <= $2
    then c.body end as body
from ${formatUnnest('v', ['ord int', 'luid text', 'change int'], 3)}
  join ${versionsOf('$1')} c on c.luid = v.luid and c.change = v.change
order by v.ord
`;

export function createBodies(on: Queryable): (query: BodiesQuery) => Promise<readonly Sized[]> {
  return async ({ ledger, of, most }) => {
    if (of.length === 0) return [];
    const luids = textArray(of.map(({ luid }) => luid));
    const values = [ledger, most, of.map((_, ord) => ord), luids, of.map(({ change }) => change)];
    const { rows } = await on
      .query<Sized & pg.QueryResultRow>({ name: 'bodies', text: BODIES_SQL, values })
      .catch(throwIfTooLong);
    return rows;
  };
}

/**
 * The bodies of versions, one after the other; missing ones are fetched one at a time.
 *
 * @param bodies checked
 * @param versions checked
 */
export async function* eachBody(
  bodies: Bodies,
  place: Pick<VersionSource, 'ledger' | 'kind'>,
  versions: readonly Sized[],
): AsyncGenerator<string> {
  for (const version of versions) {
    const [found] = version.body === null ? await bodies({ ...place, of: [version], most: 0 }) : [version];
    if (found?.body != null) yield found.body;
  }
}
