import { text } from '../text/en.js';
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
    <nav className="pager" aria-label={text.browse.page(index)}>
      <button type="button" disabled={index === 0} onClick={() => change({ page: String(index) })}>
        {text.browse.previous}
      </button>
      <span>{text.browse.page(index)}</span>
      <button type="button" disabled={!hasMore} onClick={() => change({ page: String(index + 2) })}>
        {text.browse.next}
      </button>
      <label>
        {text.browse.perPage}{' '}
        <select value={limit} onChange={(event) => change({ rows: event.target.value, page: '1' })}>
          {ROWS.map((rows) => (
            <option key={rows}>{rows}</option>
          ))}
        </select>
      </label>
    </nav>
  );
}
