import { type Json, type JsonObject, LedgerError } from '@countersign/protocol';
import { filterLimits } from '../../access/filter-limits.js';
import type { PathFilter } from '../../store/queries/filter.js';

/** The members of an anchor that a lookup compares; all others are for bridges (interface/lookups#filters). */
const MATCHED = ['handle', 'target', 'symbol', 'source', 'custom'];

/**
 * The data of a lookup as filters that must all match: one for each text, number and boolean in it, at its path. A null is
 * passed over.
 *
 * @throws `record.invalid` for more, longer or deeper filters than those of a query
 */
export function parseLookupFilters(data: JsonObject): PathFilter[] {
  const filters: PathFilter[] = [];
  for (const member of MATCHED) {
    for (const { path, value } of collectLeaves(`data.${member}`, data[member] ?? null)) {
      if (filters.length === filterLimits.count) throw lookupTooLarge(`compares at most ${filterLimits.count} values`);
      if (path.length > filterLimits.characters || value.length > filterLimits.characters) {
        throw lookupTooLarge(`compares at most ${filterLimits.characters} characters`);
      }
      if (path.split('.', filterLimits.depth + 1).length > filterLimits.depth) {
        throw lookupTooLarge(`compares members at most ${filterLimits.depth} levels deep`);
      }
      filters.push({ path, operator: '$eq', values: [value], ...(member === 'handle' ? { key: true } : {}) });
    }
  }
  return filters;
}

interface Leaf {
  readonly path: string;
  /** As text, which lists compare by the type of what is stored. */
  readonly value: string;
}

/** Every text, number and boolean of a value. Elements of an array have the path of the array, as in lists. */
function* collectLeaves(path: string, value: Json): Generator<Leaf> {
  if (value === null) return;
  if (typeof value !== 'object') yield { path, value: String(value) };
  else if (Array.isArray(value)) for (const element of value) yield* collectLeaves(path, element);
  else for (const [name, inner] of Object.entries(value)) yield* collectLeaves(`${path}.${name}`, inner);
}

function lookupTooLarge(detail: string): LedgerError {
  return new LedgerError('record.invalid', `A lookup ${detail}`);
}
