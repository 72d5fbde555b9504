import { isRefusal, type Signed } from '@countersign/client';
import { LISTED_KINDS, recordName } from '../kinds/kinds.js';
import type { OpenLedger } from '../session/open-ledger.js';

/** A record in a version, or with a proof, that was not there before. */
export interface Change {
  readonly kind: string;
  readonly record: Signed;
}

/** Changes that are kept, newest first. */
const MOST_CHANGES = 200;

/** Records of a kind that are read at a time: lists have what changed last in front. */
const CHANGES_OF_KIND = 20;

/** Looks for changes: at the size of the log first, and at the lists only where it has grown. */
export class ChangeReader {
  #seen: Set<string> | undefined;
  #size: string | undefined;
  #changes: readonly Change[] = [];

  constructor(readonly ledger: OpenLedger) {}

  /** What has changed since the first look. */
  async read(): Promise<readonly Change[]> {
    const size = await this.#logSize();
    if (size !== undefined && size === this.#size) return this.#changes;
    const { client } = this.ledger;
    const lists = await Promise.all(
      LISTED_KINDS.map(async (kind) => {
        const page = await client
          .kind(recordName(kind))
          .list({ limit: CHANGES_OF_KIND })
          .page(0)
          // Kinds that may not be read are left out.
          .catch((error: unknown) => {
            if (isRefusal(error, 'auth.forbidden') || isRefusal(error, 'auth.unauthorized')) return undefined;
            throw error;
          });
        return (page?.items ?? []).map((record) => ({ kind: kind.record, record }));
      }),
    );
    const all = lists.flat();
    const seen = this.#seen;
    const fresh = seen === undefined ? [] : all.filter((change) => !seen.has(changeVersion(change)));
    this.#seen = new Set([...(seen ?? []), ...all.map(changeVersion)]);
    this.#size = size;
    const ordered = fresh.sort((one, other) => changeMoment(other).localeCompare(changeMoment(one)));
    this.#changes = [...ordered, ...this.#changes].slice(0, MOST_CHANGES);
    return this.#changes;
  }

  /** Undefined where it may not be read. */
  async #logSize(): Promise<string | undefined> {
    try {
      const { origin, size, unsealed } = (await this.ledger.client.record.log()).data;
      return origin === null ? undefined : `${size} ${unsealed.count}`;
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }
}

/** When a record changed last: the moment of its last proof that has one. */
export function changeMoment({ record }: Change): string {
  const moments = record.meta.proofs.map(({ custom }) => String(custom?.moment ?? ''));
  return moments.filter((moment) => moment !== '').at(-1) ?? String(record.meta.moment);
}

export function changeVersion({ record }: Change): string {
  return `${record.luid} ${record.hash} ${record.meta.proofs.length}`;
}
