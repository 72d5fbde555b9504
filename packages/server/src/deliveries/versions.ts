import { LruCache } from '../base/lru-cache.js';
import { type Reference, referenceKey } from '../events/event.js';
import type { Integrity } from '../integrity/integrity.js';
import type { DeliveryStore } from '../store/outbox/deliveries.js';
import { deliveryLimits } from './delivery-limits.js';

/** Reads the versions that events are made of, verified. */
export type VersionReader = ReturnType<typeof createVersionReader>;

/**
 * Versions never change, so those that several deliveries ask for are kept: of one event, or of one effect. Long ones are
 * read again each time.
 */
export function createVersionReader(store: DeliveryStore, { check }: Pick<Integrity, 'check'>) {
  const kept = new LruCache<string, { readonly text: string }>(deliveryLimits.kept, ({ text }) => text.length);
  const fetch = async (
    ledger: number,
    references: readonly Reference[],
    found: Map<string, string>,
    longest?: number,
  ) => {
    for (const { kind, ...version } of await store.versions(ledger, references, longest)) {
      const checking = check({ ledger, kind }, version);
      if (checking) await checking;
      const key = referenceKey([kind, version.luid, version.change]);
      found.set(key, version.body);
      if (version.body.length <= deliveryLimits.short) kept.set(`${ledger} ${key}`, { text: version.body });
    }
  };
  const takeKept = (ledger: number, references: readonly Reference[], found: Map<string, string>) =>
    references.filter((reference) => {
      const key = referenceKey(reference);
      const text = kept.get(`${ledger} ${key}`)?.text;
      if (text !== undefined) found.set(key, text);
      return text === undefined;
    });
  return {
    /**
     * As many of the short versions as `queryLimits.answers.atOnce` bytes hold; each process may have a thousand such reads. Long
     * ones are for those who have room for them.
     *
     * @returns bodies by `referenceKey`
     * @throws Corrupt
     */
    async readShort(ledger: number, references: readonly Reference[]): Promise<Map<string, string>> {
      const found = new Map<string, string>();
      const missing = takeKept(ledger, references, found);
      if (missing.length > 0) await fetch(ledger, missing, found, deliveryLimits.short);
      return found;
    },
    /** All of them, however long. @returns bodies by `referenceKey`; versions that do not exist are absent. @throws Corrupt */
    async readAll(ledger: number, references: readonly Reference[]): Promise<Map<string, string>> {
      const found = new Map<string, string>();
      for (const reference of takeKept(ledger, references, found)) await fetch(ledger, [reference], found);
      return found;
    },
  };
}
