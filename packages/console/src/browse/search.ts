import { parseTerms, termsOf } from '../kinds/filter.js';
import type { KindDescription } from '../kinds/kinds.js';
import { parsePlace } from './place.js';

/** What the address of a list keeps. */
export interface BrowseSearch {
  /** Terms, one on a line. */
  readonly filter?: string | undefined;
  /** Columns with commas between; those of the kind unless given. */
  readonly columns?: string | undefined;
  /** The place behind which the page begins, as `placeText` writes it; the list's beginning unless given. */
  readonly after?: string | undefined;
  /** The number of a page with a place, from 2. */
  readonly page?: string | undefined;
  readonly rows?: string | undefined;
  /** The record above, of kinds that lie below others. */
  readonly parent?: string | undefined;
}

/** Rows that a page may have. */
export const ROWS = [50, 200, 1000, 10_000] as const;

/** What of an address is that of a list. */
export function readSearch({ filter, columns, after, page, rows, parent }: BrowseSearch): BrowseSearch {
  const isPlace = after !== undefined && parsePlace(after) !== undefined;
  const isNumber = page !== undefined && /^[2-9]$|^[1-9]\d{1,6}$/.test(page);
  return {
    ...(filter ? { filter } : {}),
    ...(columns ? { columns } : {}),
    // Left out, the router would put in what the address says.
    after: isPlace ? after : undefined,
    page: isPlace ? (isNumber ? page : '2') : undefined,
    ...(rows ? { rows } : {}),
    ...(parent ? { parent } : {}),
  };
}

/** What the address of a list asks for; `bad` is a term that the kind's lists cannot be filtered by. */
export function askedOf(kind: KindDescription, search: BrowseSearch) {
  const { parent, after = '' } = search;
  const terms = termsOf(search.filter ?? '');
  const { filter, bad } = parseTerms(kind, terms);
  const limit = ROWS.find((rows) => String(rows) === search.rows) ?? ROWS[0];
  const isBelow = kind.parent !== undefined && parent === undefined;
  const asked = { kind, parent, filter, after: parsePlace(after), limit };
  return { asked, terms, bad, isBelow, isGood: bad === undefined && !isBelow };
}
