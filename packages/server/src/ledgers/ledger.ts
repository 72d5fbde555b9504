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
 * The state of a ledger as one process caches it to decide and to sign, as of one version. Every read and every commit
 * returns the ledger's current version in the same round trip; when it differs, the state is discarded and loaded anew.
 * So whatever decides must be part of the state, or cached under an object of it.
 */
export interface Ledger {
  readonly id: number;
  readonly handle: string;
  readonly luid: string;
  readonly version: number;
  /** Sequence number of its load in this process: of two states, the one with the higher number is the newer. */
  readonly loads: number;
  /** Approximate characters of the records it was loaded from. */
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
  /** Signs for signers whose requests carry a token instead of a signature (interface/tokens#impersonation). */
  readonly auth: Countersigner;
}

/**
 * Whether a record of the domain `border` counts for one of the domain `domain`: it does there and below. A record
 * outside every domain counts everywhere (docs/interface/domains.md).
 */
export function isWithin(ledger: Ledger, domain: string | undefined, border: string | undefined): boolean {
  return border === undefined || domainsFrom(ledger, domain).some(({ handle }) => handle === border);
}

/**
 * Whether a key is one that the ledger signs with. Its signatures are known to bridges and to readers of records, so a
 * token or proof with it in a request does not identify the sender.
 */
export function isOwn({ system, auth }: Pick<Ledger, 'system' | 'auth'>, key: string): boolean {
  return key === system.public || key === auth.public;
}

/** The domain of that handle and every domain above it, nearest first (interface/domains#rules-of-a-domain). */
export function domainsFrom(ledger: Ledger, handle: string | undefined): Domain[] {
  const found = new Set<Domain>();
  for (let at = handle; at !== undefined; ) {
    const domain = ledger.domains.get(at);
    // A domain joins an older one for good, so a chain always ends; the guard against a loop is free.
    if (!domain || found.has(domain)) break;
    found.add(domain);
    at = domain.parent;
  }
  return [...found];
}

/** The rules on a record itself; they were validated when it was stored. */
export function accessOf(record: RecordEnvelope): readonly AccessEntry[] {
  return (record.data.access ?? []) as unknown as readonly AccessEntry[];
}
