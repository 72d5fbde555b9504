import { browseText } from '../text/browse.js';
import { ROWS } from './search.js';

interface PagerProps {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly hasMore: boolean;
  /** Goes to the page before; undefined on the first page. */
  readonly onPrevious: (() => void) | undefined;
  /** Whether it is known, or the first page is gone to instead. */
  readonly isPreviousKnown: boolean;
  readonly onNext: () => void;
  readonly onRows: (rows: string) => void;
}

/** Goes from page to page of a list. */
export function Pager({ page, limit, hasMore, onPrevious, isPreviousKnown, onNext, onRows }: PagerProps) {
  return (
    <nav className="pager" aria-label={browseText.pages}>
      <button type="button" disabled={onPrevious === undefined} onClick={onPrevious}>
        {onPrevious === undefined || isPreviousKnown ? browseText.previous : browseText.first}
      </button>
      <span>{browseText.page(page)}</span>
      <button type="button" disabled={!hasMore} onClick={onNext}>
        {browseText.next}
      </button>
      <label>
        {browseText.perPage}{' '}
        <select value={limit} onChange={(event) => onRows(event.target.value)}>
          {ROWS.map((rows) => (
            <option key={rows}>{rows}</option>
          ))}
        </select>
      </label>
    </nav>
  );
}
