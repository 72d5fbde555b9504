import type { Kind } from '../../kinds/kind.js';
import { kinds } from '../../kinds/registry.js';

/** The names of all kinds. */
export const ALL_KINDS: readonly string[] = kinds.map(({ name }) => name);

/** The names of the kinds that fulfil `condition`, as the list of an `in`. */
export function kindsWhere(condition: (kind: Kind) => boolean): string {
  return kinds
    .filter(condition)
    .map(({ name }) => `'${name}'`)
    .join(', ');
}

/** The kinds whose `link` is a key that signs; sql/store_batch_1.sql names them as well. */
export const KEYED = kindsWhere(({ links }) => links.isKey === true);
