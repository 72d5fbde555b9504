import type { ChangeAction, JsonObject } from '@countersign/protocol';
import type { KindName } from '../../kinds/kind.js';
import type { EpochGuard } from '../epoch-guard.js';
import type { NodeGuard } from '../nodes/guard.js';

/** A version of a record. Luid and number identify it, and it is immutable: it may be cached for ever. */
export interface Version {
  readonly luid: string;
  readonly change: number;
  /** As it is served. */
  readonly body: string;
}

/** A version as the table holds it, before a `Check` has verified it. */
export interface StoredVersion extends Version {
  readonly action: ChangeAction;
  /** Authentication code of the other members, made when it was stored; null for versions of releases before codes. */
  readonly mac: string | null;
}

/**
 * SQL: the versions of a ledger, whole, as the view `version` has them. It names the ledger for each table, without which Citus would
 * ask all nodes.
 *
 * @param ledger its id: a parameter
 */
export function versionsOf(ledger: string): string {
  return `(select c.ledger_id, c.luid, c.change, c.kind, c.action, c.moment, c.hash, c.mac,
    case when c.cut is null then c.body else coalesce(left((
      select w.body from change w
      where w.ledger_id = ${ledger} and w.luid = c.luid and w.change > c.change and w.cut is null
      order by w.change limit 1), c.cut), '') || c.body end as body
    from change c where c.ledger_id = ${ledger})`;
}

/**
 * The columns that make a `StoredVersion`, of what a statement calls `c`: one of `versionsOf`. The current version of a
 * record is whole in the table `change` too.
 */
export const STORED_VERSION = 'c.luid, c.change, c.action, c.mac, c.body';

/** A version as the table holds it. The body is null where earlier ones have used up the bytes of the answer. */
export interface Sized extends Omit<StoredVersion, 'body'> {
  /** Bytes of its body. */
  readonly size: number;
  readonly body: string | null;
}

/** The place where a version was found, which its data must confirm. */
export interface VersionSource {
  readonly ledger: number;
  readonly kind: KindName;
  /** The key it was found by, if any. */
  readonly key?: string;
  /** A further condition on its data. */
  readonly is?: (data: JsonObject) => boolean;
}

/** Stands for a version that another row names but whose own row is gone: every check refuses it. */
export function makeMissingVersion({ luid, change }: Pick<Version, 'luid' | 'change'>): StoredVersion {
  return { luid, change, action: 'create', mac: '', body: '' };
}

/**
 * Verifies that a version is as the ledger stored it, before it is used. Cached versions were verified before they were
 * cached.
 *
 * @returns undefined when the version is verified at once; else a promise
 * @throws Corrupt, by way of the promise
 */
export type Check = (place: VersionSource, version: StoredVersion) => Promise<void> | undefined;

/** Checks versions one after the other, so that a slow check lets others have a turn. @throws as `check` does */
export async function checkAll(check: Check, place: VersionSource, versions: readonly StoredVersion[]): Promise<void> {
  for (const version of versions) {
    const checking = check(place, version);
    if (checking) await checking;
  }
}

/** Checks the versions whose bodies were fetched. @throws as `check` does */
export async function checkFetched(check: Check, place: VersionSource, versions: readonly Sized[]): Promise<void> {
  const fetched = versions.flatMap(({ body, ...version }) => (body === null ? [] : [{ ...version, body }]));
  await checkAll(check, place, fetched);
}

/** Guards of lookups of records and signers: the check of what was read, the epoch it was read in, and the node that answered. */
export interface ReadGuards {
  readonly check: Check;
  readonly epochs: Pick<EpochGuard, 'walPosition' | 'saw'>;
  /** Of a cluster: the node that answers. */
  readonly nodes: NodeGuard;
}
