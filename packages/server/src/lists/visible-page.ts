import { LedgerError } from '@countersign/protocol';
import { limits } from '../limits.js';
import type { Place } from '../store/queries/list.js';
import type { PageQuery } from './page.js';

/** Records looked at in one query when some of them may have to be left out. */
const STRIDE = 200;

/** A record of a list, and where in the list it stands. */
interface Placed {
  readonly place: Place;
}

/**
 * A page of what the caller may see of a list: the list is walked in order, and only what is visible is counted.
 *
 * An honest page cannot end before the list does: to whom it is short, it is the last. So where that would take looking
 * at more than `limits.scan` records the page is refused, and the caller told to ask for less of the list.
 *
 * @param next up to so many records of the list, those that come after the place
 * @param seen the record as it is served, or nothing when the caller may not see it
 * @param isLate whether nobody waits for the page any more
 * @throws `api.query-malformed` when the page is not complete after `limits.scan` records; `api.request-timeout` when it is
 *   late
 */
export async function visiblePage<P extends Placed, T>(
  { index, limit }: PageQuery,
  next: (count: number, after: Place | undefined) => Promise<readonly P[]>,
  seen: (record: P) => Promise<T | undefined>,
  isLate: () => boolean = () => false,
): Promise<T[]> {
  const page: T[] = [];
  let toSkip = index * limit;
  let after: Place | undefined;
  for (let looked = 0; page.length < limit; looked += STRIDE) {
    if (looked >= limits.scan) throw tooFar();
    if (isLate()) throw new LedgerError('api.request-timeout', 'The page was not found in time.');
    const records = await next(STRIDE, after);
    for (const placed of records) {
      after = placed.place;
      const record = await seen(placed);
      if (record === undefined) continue;
      if (toSkip > 0) toSkip -= 1;
      else if (page.length < limit) page.push(record);
    }
    if (records.length < STRIDE) break;
  }
  return page;
}

function tooFar(): LedgerError {
  const detail = `The page cannot be found among ${limits.scan} records of the list. Add filters, or ask for an earlier page.`;
  return new LedgerError('api.query-malformed', detail);
}
