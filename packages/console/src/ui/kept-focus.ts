import { useEffect } from 'react';

/**
 * Gives the focus to what stood around an element when the one that has it is taken away: whoever uses the keyboard goes on from
 * there, and is told where that is. A page that has a better place gives the focus to that before.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** What has the focus, and all that it stands in, the nearest first. */
    let around: readonly HTMLElement[] = [];
    const note = ({ target }: FocusEvent) => {
      around = target instanceof HTMLElement ? withAncestors(target) : [];
    };
    // A click outside drops the focus on purpose. What was taken away is disconnected when this runs, and stays noted.
    const forget = ({ target }: FocusEvent) =>
      setTimeout(() => {
        // The window was left: the element still has the focus when it comes back.
        if (document.activeElement === target) return;
        if (around[0] === target && around[0]?.isConnected) around = [];
      });
    const keep = () => {
      const [had, ...others] = around;
      if (had === undefined || had.isConnected || document.activeElement !== document.body) return;
      around = [];
      for (const place of others) if (place.isConnected && focusPlace(place)) return;
    };
    const observer = new MutationObserver(keep);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', note);
    document.addEventListener('focusout', forget);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
      document.removeEventListener('focusout', forget);
    };
  }, []);
}

function withAncestors(element: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at: HTMLElement | null = element; at !== null && at !== document.body; at = at.parentElement) found.push(at);
  return found;
}

/** Whether an element that may not take the focus by itself has taken it. */
function focusPlace(place: HTMLElement): boolean {
  const isOwn = place.hasAttribute('tabindex');
  if (!isOwn) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  const isTaken = document.activeElement === place;
  if (!isOwn && !isTaken) place.removeAttribute('tabindex');
  if (!isOwn && isTaken) {
    const giveBack = () => {
      if (document.activeElement === place) return;
      place.removeAttribute('tabindex');
      place.removeEventListener('blur', giveBack);
    };
    place.addEventListener('blur', giveBack);
  }
  return isTaken;
}
