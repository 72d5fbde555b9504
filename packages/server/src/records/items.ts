import { canonical, type Json } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import { Recent } from '../recent.js';
import type { Check, StoredVersion, Version } from '../store/version.js';

/** One thing that a list holds: the text it is served as, and the canonical form that the hash of the list is made on. */
export interface Item {
  readonly text: string;
  readonly canonical: string;
}

/** Stored versions as items of lists. */
export interface Items {
  /** `version` is one of the ledger's, and checked. */
  of(ledger: Ledger, version: Version): Item;
  /** Checks a version of the ledger's, unless it is one that was checked and is kept. */
  check(ledger: Ledger, kind: Kind, version: StoredVersion): ReturnType<Check>;
}

/**
 * Remembers the canonical forms of versions that were listed, since making them would be most of the work of a list. What
 * is remembered is that of this very text, which was checked then.
 */
export function createItems(check: Check): Items {
  const kept = new Recent<string, Item>(limits.items, ({ text, canonical }) => text.length + canonical.length);
  const keptOf = ({ id }: Ledger, { luid, change, body }: Version) => {
    const item = kept.get(`${id} ${luid} ${change}`);
    return item?.text === body ? item : undefined;
  };
  return {
    of(ledger, version) {
      const known = keptOf(ledger, version);
      if (known) return known;
      const item = { text: version.body, canonical: canonical(JSON.parse(version.body) as Json) };
      kept.set(`${ledger.id} ${version.luid} ${version.change}`, item);
      return item;
    },
    check: (ledger, kind, version) =>
      keptOf(ledger, version) ? undefined : check({ ledger: ledger.id, kind: kind.name }, version),
  };
}

/** An item of a list that is made for one answer. */
export function newItem(value: Json): Item {
  return { text: JSON.stringify(value), canonical: canonical(value) };
}
