import type { Ledger, Signed } from '@countersign/client';
import type { ListFilter } from '../kinds/filter.js';
import { type KindDescription, recordName } from '../kinds/kinds.js';
import { behind, filterFrom, type Place, placeAfter, shows } from './place.js';

/** Records that are asked for at a time, at most (interface/lists#pages). */
const LARGEST_PAGE = 1000;

/** What is asked of a list. */
export interface ListAsked {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly filter: ListFilter;
  /** Where the page begins; at the beginning of the list unless given. */
  readonly after: Place | undefined;
  readonly limit: number;
}

/** One page of a list. */
export interface ListPage {
  readonly records: readonly Signed[];
  /** Whether there are records behind it. */
  readonly hasMore: boolean;
}

/**
 * Goes on from the place, piece by piece, and each piece from the end of the one before: what is dropped meanwhile makes no
 * other record fall between two, and what changes moves to the front.
 *
 * @throws what the client throws
 */
export async function readPage(client: Ledger, { kind, parent, filter, after, limit }: ListAsked): Promise<ListPage> {
  const records = client.kind(recordName(kind), parent);
  const found = new Map<string, Signed>();
  let place = after;
  // One more tells whether there are more, and a list from a place on begins with the record of the place.
  const wanted = () => Math.min(LARGEST_PAGE, limit + 1 - found.size + (place === undefined ? 0 : 1));
  let [size, index] = [wanted(), 0];
  // Those of the moment of the place and behind it, as far as they are read.
  let read: readonly Signed[] = [];
  for (;;) {
    const { items } = await records.list({ filter: filterFrom(filter, place) as never, limit: size }).page(index);
    read = index === 0 ? items : [...read, ...items];
    const last = items.at(-1);
    const next = last === undefined || items.length < size ? undefined : placeAfter(last);
    const isWithinMoment = next !== undefined && next.moment === place?.moment;
    // Until the moment of the place is read, its record may still come: which records are behind it is not known before.
    if (!isWithinMoment || shows(read, place)) {
      for (const item of behind(read, place)) if (!found.has(item.luid)) found.set(item.luid, item);
      if (next === undefined || found.size > limit) break;
    }
    if (isWithinMoment) {
      // More records of one moment than were asked for: from there on page by page.
      index = size === LARGEST_PAGE ? index + 1 : 0;
      size = LARGEST_PAGE;
    } else {
      place = next;
      [size, index] = [wanted(), 0];
    }
  }
  return { records: [...found.values()].slice(0, limit), hasMore: found.size > limit };
}
