import { browseText } from '../text/browse.js';
import { type BrowseSearch, ROWS } from './search.js';

interface PagerProps {
  readonly index: number;
  readonly limit: number;
  readonly hasMore: boolean;
  readonly change: (to: BrowseSearch) => void;
}

/** Goes from page to page of a list. */
export function Pager({ index, limit, hasMore, change }: PagerProps) {
  return (
    <nav className="pager" aria-label={browseText.page(index)}>
      <button type="button" disabled={index === 0} onClick={() => change({ page: String(index) })}>
        {browseText.previous}
      </button>
      <span>{browseText.page(index)}</span>
      <button type="button" disabled={!hasMore} onClick={() => change({ page: String(index + 2) })}>
        {browseText.next}
      </button>
      <label>
        {browseText.perPage}{' '}
        <select value={limit} onChange={(event) => change({ rows: event.target.value, page: '1' })}>
          {ROWS.map((rows) => (
            <option key={rows}>{rows}</option>
          ))}
        </select>
      </label>
    </nav>
  );
}
