import type { Ledger } from '../ledgers/ledger.js';
import { limits } from '../limits.js';
import type { Service } from '../service.js';
import type { Version } from '../store/version.js';

type Named = Pick<Version, 'luid' | 'change'>;

/** The bodies of those records of a list that its index leaves undecided. */
export interface Unjudged {
  /** The records that come next, in the order they will be asked for. */
  follow(records: readonly Named[]): void;
  bodyOf(record: Named): Promise<string>;
}

/**
 * Fetches bodies a few ahead, as many as `limits.answers.atOnce` bytes hold: where one record is undecided, those that
 * follow it mostly are.
 */
export function createUnjudged({ store }: Service, ledger: Pick<Ledger, 'id'>): Unjudged {
  let following: readonly Named[] = [];
  let ahead = new Map<string, string>();
  return {
    follow(records) {
      following = records;
    },
    async bodyOf(record) {
      const known = ahead.get(nameOf(record));
      if (known !== undefined) return known;
      const of = following.slice(following.findIndex((one) => nameOf(one) === nameOf(record)));
      const found = await store.lists.bodies({ ledger: ledger.id, of, most: limits.answers.atOnce });
      ahead = new Map(found.flatMap((one) => (one.body === null ? [] : [[nameOf(one), one.body]])));
      const body = ahead.get(nameOf(record));
      if (body === undefined) throw new Error(`Version ${record.change} of ${record.luid} is not there.`);
      return body;
    },
  };
}

function nameOf({ luid, change }: Named): string {
  return `${luid} ${change}`;
}
