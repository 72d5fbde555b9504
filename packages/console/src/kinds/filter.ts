import { isFilterable, parseFilterTerm } from '@countersign/client/filter-terms';
import { filtersOf, type KindDescription } from './kinds.js';

/** As the client takes it. */
export type ListFilter = Record<string, Record<string, string | readonly string[]>>;

/** A term that the lists of a kind cannot be filtered by, and the members that they can. */
export interface BadTerm {
  readonly term: string;
  readonly members: readonly string[];
}

/** The terms of a filter as the address has it: one on a line. */
export function termsOf(filter: string): string[] {
  return filter.split('\n').filter((term) => term !== '');
}

/** The filter that terms come to, and the first of them that the kind's lists cannot be filtered by. */
export function parseTerms(
  kind: KindDescription,
  terms: readonly string[],
): { readonly filter: ListFilter; readonly bad?: BadTerm } {
  const members = filtersOf(kind);
  const filter: ListFilter = {};
  for (const given of terms) {
    const term = parseFilterTerm(given);
    if (term === undefined || !isFilterable(term.path, members)) return { filter, bad: { term: given, members } };
    filter[term.path] = { ...filter[term.path], [term.operator]: term.value };
  }
  return { filter };
}
