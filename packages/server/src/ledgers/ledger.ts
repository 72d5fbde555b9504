import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { AccessPolicy } from '../access/context.js';
import type { AccessEntry } from '../access/rules.js';
import type { Countersigner } from '../keys/countersigner.js';
import type { KindName } from '../kinds/kind.js';

export interface Domain {
  readonly handle: string;
  readonly access: readonly AccessEntry[];
  /** The domain this one is in. */
  readonly parent?: string;
}

export interface SchemaEntry {
  readonly handle: string;
  readonly luid: string;
  readonly hash: string;
  /** The domain it is in: it is for records there and below. */
  readonly domain?: string;
}

/**
 * What one process holds of a ledger to decide and to sign, as of one version of it. Every read and every commit
 * tells the ledger's current version in the same round trip; when it differs, this is thrown away and loaded anew. So
 * nothing here may outlive `version`, and nothing that decides may be remembered elsewhere.
 */
export interface Ledger {
  readonly id: number;
  readonly handle: string;
  readonly luid: string;
  readonly version: number;
  /** Loads of ledgers that this process had begun before this one: of two states the one loaded later is the newer. */
  readonly loads: number;
  /** Characters of the records it was loaded from, about. */
  readonly weight: number;
  readonly owners: readonly string[];
  readonly access: readonly AccessEntry[];
  readonly config: JsonObject;
  readonly record: RecordEnvelope;
  readonly policies: ReadonlyMap<string, AccessPolicy>;
  readonly domains: ReadonlyMap<string, Domain>;
  /** By kind of record they are for, then by handle. */
  readonly schemas: ReadonlyMap<KindName, ReadonlyMap<string, SchemaEntry>>;
  readonly system: Countersigner;
  /** Signs for signers who come with a token instead of a signature (interface/tokens#impersonation). */
  readonly auth: Countersigner;
}

/**
 * Whether what is in `border` counts for what is in `domain`: in it or below. What is in no domain counts everywhere
 * (docs/interface/domains.md).
 */
export function isWithin(ledger: Ledger, domain: string | undefined, border: string | undefined): boolean {
  return border === undefined || domainsFrom(ledger, domain).some(({ handle }) => handle === border);
}

/**
 * Whether a key is one that the ledger signs with. What it has signed is known to bridges and to whoever reads a record,
 * so a token or proof by it that comes in a request says nothing of who sends it.
 */
export function isOwn({ system, auth }: Pick<Ledger, 'system' | 'auth'>, key: string): boolean {
  return key === system.public || key === auth.public;
}

/** The domain of that handle and every domain above it, nearest first (interface/domains#rules-of-a-domain). */
export function domainsFrom(ledger: Ledger, handle: string | undefined): Domain[] {
  const found = new Set<Domain>();
  for (let at = handle; at !== undefined; ) {
    const domain = ledger.domains.get(at);
    // A chain is never a loop, since a domain joins an older one and stays there; a guard costs nothing.
    if (!domain || found.has(domain)) break;
    found.add(domain);
    at = domain.parent;
  }
  return [...found];
}

/** A record's own rules: what it was stored with was validated then. */
export function accessOf(record: RecordEnvelope): readonly AccessEntry[] {
  return (record.data.access ?? []) as unknown as readonly AccessEntry[];
}
