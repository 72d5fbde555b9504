import { canonical, type Json } from '@countersign/protocol';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import { Recent } from '../recent.js';
import type { Version } from '../store/version.js';

/** One thing that a list holds: the text it is served as, and the canonical form that the hash of the list is made on. */
export interface Item {
  readonly text: string;
  readonly canonical: string;
}

/** Stored versions as items of lists. */
export interface Items {
  /** `version` is one of the ledger's. */
  of(ledger: Ledger, version: Version): Item;
}

/**
 * Remembers the canonical forms of versions that were listed, since making them would be most of the work of a list.
 * Versions never change, and each is found only by who has just read it from its ledger.
 */
export function createItems(): Items {
  const kept = new Recent<string, Item>(limits.items, ({ text, canonical }) => text.length + canonical.length);
  return {
    of: ({ id }, { luid, change, body }) =>
      kept.take(`${id} ${luid} ${change}`, () => ({ text: body, canonical: canonical(JSON.parse(body) as Json) })),
  };
}

/** An item of a list that is made for one answer. */
export function newItem(value: Json): Item {
  return { text: JSON.stringify(value), canonical: canonical(value) };
}
