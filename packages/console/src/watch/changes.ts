import { isRefusal, type Signed } from '@countersign/client';
import { LISTED, recordName } from '../kinds/kinds.js';
import type { OpenLedger } from '../session/open-ledger.js';

/** A record in a version, or with a proof, that was not there before. */
export interface Change {
  readonly kind: string;
  readonly record: Signed;
}

/** Changes that are kept, newest first. */
const MOST_KEPT = 200;

/** Records of a kind that are read at a time: lists have what changed last in front. */
const LIMIT = 20;

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
      LISTED.map(async (kind) => {
        const page = await client
          .kind(recordName(kind))
          .list({ limit: LIMIT })
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
    const fresh = seen === undefined ? [] : all.filter((change) => !seen.has(versionOf(change)));
    this.#seen = new Set([...(seen ?? []), ...all.map(versionOf)]);
    this.#size = size;
    const ordered = fresh.sort((one, other) => momentOf(other).localeCompare(momentOf(one)));
    this.#changes = [...ordered, ...this.#changes].slice(0, MOST_KEPT);
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
export function momentOf({ record }: Change): string {
  const moments = record.meta.proofs.map(({ custom }) => String(custom?.moment ?? ''));
  return moments.filter((moment) => moment !== '').at(-1) ?? String(record.meta.moment);
}

export function versionOf({ record }: Change): string {
  return `${record.luid} ${record.hash} ${record.meta.proofs.length}`;
}
