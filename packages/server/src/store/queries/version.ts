import type { ChangeAction, JsonObject } from '@countersign/protocol';
import type { KindName } from '../../kinds/kind.js';
import type { EpochGuard } from '../epoch-guard.js';

/** A version of a record. No other has its luid and number, and it never changes: it may be kept as long as one likes. */
export interface Version {
  readonly luid: string;
  readonly change: number;
  /** As it is served. */
  readonly body: string;
}

/** A version as the table holds it, before a `Check` has verified it. */
export interface StoredVersion extends Version {
  readonly action: ChangeAction;
  /** Made of all the others when it was stored; null for what was stored by releases that made none. */
  readonly mac: string | null;
}

/** The columns of `change` that make a `StoredVersion`, for a statement that calls the table `c`. */
export const STORED_VERSION = 'c.luid, c.change, c.action, c.mac, c.body';

/** A version as the table holds it, whose body was not fetched where others before it took the room. */
export interface Sized extends Omit<StoredVersion, 'body'> {
  /** Bytes of its body. */
  readonly size: number;
  readonly body: string | null;
}

/** Where a version was found, and so what it must say of itself. */
export interface Place {
  readonly ledger: number;
  readonly kind: KindName;
  /** The key it was found by, where it was. */
  readonly key?: string;
  /** What else its data must say. */
  readonly is?: (data: JsonObject) => boolean;
}

/** Stands for a version whose row is gone though another row names it: no check lets it pass. */
export function missing({ luid, change }: Pick<Version, 'luid' | 'change'>): StoredVersion {
  return { luid, change, action: 'create', mac: '', body: '' };
}

/**
 * Makes sure that a version is as the ledger stored it, before anything is done with it. Only what is about to be kept, or
 * is not kept at all, has to be looked at: what was kept was looked at.
 *
 * @returns nothing when all is well; a promise of that where it takes more than what is at hand
 * @throws Corrupt, by way of the promise
 */
export type Check = (place: Place, version: StoredVersion) => Promise<void> | undefined;

/** Checks one after the other, so that what takes time lets others have a turn. @throws as `check` does */
export async function checkAll(check: Check, place: Place, versions: readonly StoredVersion[]): Promise<void> {
  for (const version of versions) {
    const checking = check(place, version);
    if (checking) await checking;
  }
}

/** Checks those whose bodies were fetched. @throws as `check` does */
export async function checkFetched(check: Check, place: Place, versions: readonly Sized[]): Promise<void> {
  const fetched = versions.flatMap(({ body, ...version }) => (body === null ? [] : [{ ...version, body }]));
  await checkAll(check, place, fetched);
}

/** What guards every read of the database: the check of what was read, and the epoch it was read in. */
export interface ReadGuards {
  readonly check: Check;
  readonly epochs: Pick<EpochGuard, 'walPosition' | 'saw'>;
}
