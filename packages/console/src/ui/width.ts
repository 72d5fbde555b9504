import { type RefCallback, useCallback, useState } from 'react';

/** Pixels of an element that is drawn for the first time. */
const FIRST_WIDTH = 640;

/** The width of an element in whole pixels, as it changes. */
export function useWidth(): [ref: RefCallback<HTMLElement>, width: number] {
  const [width, setWidth] = useState(FIRST_WIDTH);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? FIRST_WIDTH)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
