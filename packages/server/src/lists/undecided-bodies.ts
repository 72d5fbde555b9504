import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import { queryLimits } from '../store/queries/query-limits.js';
import { makeMissingVersion, type StoredVersion, type Version } from '../store/queries/version.js';

type VersionKey = Pick<Version, 'luid' | 'change'>;

/**
 * Reads the bodies of those records of a list that its index leaves undecided. It prefetches as many as
 * `queryLimits.answers.atOnce` bytes hold: where one record is undecided, those that follow it mostly are.
 */
export function createUndecidedBodies({ store, items, ledger }: Session, kind: Kind) {
  let following: readonly VersionKey[] = [];
  let ahead = new Map<string, StoredVersion>();
  return {
    /** The records that come next, in the order they will be asked for. */
    follow(records: readonly VersionKey[]): void {
      following = records;
    },
    async bodyOf(record: VersionKey): Promise<string> {
      const checked = async (version: StoredVersion) => {
        await items.check(ledger, kind, version);
        return version.body;
      };
      const known = ahead.get(formatVersionKey(record));
      if (known !== undefined) return checked(known);
      const of = following.slice(following.findIndex((one) => formatVersionKey(one) === formatVersionKey(record)));
      const found = await store.lists.bodies({ ledger: ledger.id, of, most: queryLimits.answers.atOnce });
      ahead = new Map(
        found.flatMap(({ body, ...one }) => (body === null ? [] : [[formatVersionKey(one), { ...one, body }]])),
      );
      return checked(ahead.get(formatVersionKey(record)) ?? makeMissingVersion(record));
    },
  };
}

function formatVersionKey({ luid, change }: VersionKey): string {
  return `${luid} ${change}`;
}
