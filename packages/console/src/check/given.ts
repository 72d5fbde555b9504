import { useSyncExternalStore } from 'react';

let given: readonly File[] = [];
const givenListeners = new Set<() => void>();

/** Files that were dropped onto a page, to be checked. */
export function useGivenFiles(): readonly File[] {
  return useSyncExternalStore(
    (listener) => {
      givenListeners.add(listener);
      return () => givenListeners.delete(listener);
    },
    () => given,
  );
}

export function giveFiles(files: readonly File[]): void {
  given = files;
  for (const listener of givenListeners) listener();
}
