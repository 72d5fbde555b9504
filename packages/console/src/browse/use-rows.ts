import { useVirtualizer } from '@tanstack/react-virtual';
import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';

/** Pixels of a row, as the style sheet has it. */
const ROW = 41;

/** Rows that are drawn beyond those in sight. */
const OVERSCAN = 20;

/** Rows that the keys of pages go on by. */
const LEAP = 10;

/** By how many rows a key goes on. */
const ROW_STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: LEAP,
  PageUp: -LEAP,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The rows of a table of which only those in sight are drawn, and the one that has the focus, or gets it by Tab. */
export function useRows(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
    // The row of headings stays in sight above the others.
    scrollPaddingEnd: ROW,
    // Before the box is measured the first rows are drawn at once, rather than an empty table.
    initialRect: { width: ROW, height: ROW },
  });
  const [chosen, choose] = useState(0);
  const wanted = useRef<number>(undefined);
  // A row that is far away is drawn once the table has scrolled to it.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const link = scroller.current?.querySelector<HTMLElement>(`tr[aria-rowindex="${wanted.current + 2}"] a`);
    if (!link) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = ROW_STEPS[event.key];
    const isOther = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (step === undefined || isOther) return;
    event.preventDefault();
    const next = Math.min(count - 1, Math.max(0, chosen + step));
    if (next === chosen) return;
    wanted.current = next;
    choose(next);
    rows.scrollToIndex(next);
  };
  const onFocus = ({ target }: FocusEvent) => {
    const row = target.closest('tr')?.getAttribute('aria-rowindex');
    if (row) choose(Number(row) - 2);
  };
  const drawn = rows.getVirtualItems();
  const isDrawn = drawn.some(({ index }) => index === chosen);
  return { scroller, rows, active: isDrawn ? chosen : drawn[0]?.index, onKeyDown, onFocus };
}
