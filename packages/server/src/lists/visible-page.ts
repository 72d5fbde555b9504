import { LedgerError } from '@countersign/protocol';
import type { ListPosition } from '../store/queries/list.js';
import { listLimits } from './list-limits.js';
import type { PageQuery } from './page.js';

/** Records fetched in one query when some of them may be hidden. */
const STRIDE = 200;

/** A record of a list, and where in the list it stands. */
interface PlacedRecord {
  readonly place: ListPosition;
}

/**
 * A page of the records in a list that the caller may see: walks the list in order, and counts only visible records.
 *
 * A short page means the end of the list. So a page that takes more than `listLimits.scan` records to fill is refused, and
 * the error asks the caller to narrow the list.
 *
 * @param next up to `count` records of the list, those after the place
 * @param seen the record as it is served; undefined when it is hidden from the caller
 * @param isLate whether the time for the request is over
 * @throws `api.query-malformed` when the page is incomplete after `listLimits.scan` records; `api.request-timeout` when it
 *   is late
 */
export async function visiblePage<P extends PlacedRecord, T>(
  { index, limit }: PageQuery,
  next: (count: number, after: ListPosition | undefined) => Promise<readonly P[]>,
  seen: (record: P) => Promise<T | undefined>,
  isLate: () => boolean = () => false,
): Promise<T[]> {
  const page: T[] = [];
  let toSkip = index * limit;
  let after: ListPosition | undefined;
  for (let looked = 0; page.length < limit; looked += STRIDE) {
    if (looked >= listLimits.scan) throw tooFar();
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
  const detail = `The page cannot be found among ${listLimits.scan} records of the list. Add filters, or ask for an earlier page.`;
  return new LedgerError('api.query-malformed', detail);
}
