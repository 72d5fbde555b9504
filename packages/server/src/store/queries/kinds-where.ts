import { finalStatuses } from '../../kinds/erasable.js';
import type { Kind } from '../../kinds/kind.js';
import { kinds } from '../../kinds/registry.js';

/** The names of the kinds that fulfil `condition`, as the list of an `in`. */
export function kindsWhere(condition: (kind: Kind) => boolean): string {
  return kinds
    .filter(condition)
    .map(({ name }) => `'${name}'`)
    .join(', ');
}

/** The kinds whose `link` is a key that signs. */
export const KEYED = kindsWhere(({ links }) => links.isKey === true);

/** Kinds and statuses of records that are erased in force, as the list of an `in`. */
export const FINAL = kinds
  .flatMap((kind) => finalStatuses(kind).map((status) => `('${kind.name}', '${status}')`))
  .join(', ');
