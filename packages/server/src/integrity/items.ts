import { canonical, type Json, readJson } from '@countersign/protocol';
import { LruCache } from '../base/lru-cache.js';
import type { Kind } from '../kinds/kind.js';
import type { Check, StoredVersion } from '../store/queries/version.js';

/** Items of lists that were verified. */
export const itemLimits = {
  /** Characters of versions, as they are served and in canonical form, that one process keeps to list them again. */
  characters: 3 * 1024 * 1024,
} as const;

/** An element of a list: the text it is served as, and the canonical form that the hash of the list is made of. */
export interface ListItem {
  readonly text: string;
  readonly canonical: string;
}

/** Stored versions as items of lists. */
export type Items = ReturnType<typeof createItems>;

/**
 * Caches the canonical forms of listed versions, since making them would be most of the work of a list. An entry counts
 * only for the very text that was checked.
 */
export function createItems(check: Check) {
  const kept = new LruCache<string, ListItem>(
    itemLimits.characters,
    ({ text, canonical }) => text.length + canonical.length,
  );
  const nameOf = (ledger: number, { luid, change }: StoredVersion) => `${ledger} ${luid} ${change}`;
  const made = (name: string, text: string) => {
    const item = { text, canonical: canonical(readJson(text) as Json) };
    kept.set(name, item);
    return item;
  };
  return {
    /** A version of the ledger as an item, checked. */
    of({ id }: { readonly id: number }, kind: Kind, version: StoredVersion): ListItem | Promise<ListItem> {
      const name = nameOf(id, version);
      const known = kept.get(name);
      if (known?.text === version.body) return known;
      const checking = check({ ledger: id, kind: kind.name }, version);
      return checking ? checking.then(() => made(name, version.body)) : made(name, version.body);
    },
    /** Checks a version of the ledger, unless that very text was checked and is kept. */
    check({ id }: { readonly id: number }, kind: Kind, version: StoredVersion): ReturnType<Check> {
      const isKept = kept.get(nameOf(id, version))?.text === version.body;
      return isKept ? undefined : check({ ledger: id, kind: kind.name }, version);
    },
  };
}

/** An item made for one answer. */
export function newListItem(value: Json): ListItem {
  return { text: JSON.stringify(value), canonical: canonical(value) };
}
