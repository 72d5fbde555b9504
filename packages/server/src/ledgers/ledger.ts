import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { AccessPolicy } from '../access/context.js';
import type { AccessEntry } from '../access/rules.js';
import type { Veil } from '../integrity/veil.js';
import type { Countersigner } from '../keys/countersigner.js';
import type { Suspension } from './suspension.js';

export interface Domain {
  readonly handle: string;
  readonly access: readonly AccessEntry[];
  /** The domain this one is in. */
  readonly parent?: string;
}

/** An effect as far as deciding whom to tell takes it. */
export interface LedgerEffect {
  readonly handle: string;
  readonly luid: string;
  /** Number of the version that is in force. */
  readonly change: number;
  /** Paths of the event's data, and what must be found there. */
  readonly filter?: JsonObject;
  readonly action: { readonly bridge: string } | { readonly endpoint: string };
  /** The domain it is in: it is told of records there and below. */
  readonly domain?: string;
  /** Whether its status lets it act. */
  readonly isInUse: boolean;
}

export interface SchemaEntry {
  readonly handle: string;
  readonly luid: string;
  readonly hash: string;
  /** The domain it is in: it is for records there and below. */
  readonly domain?: string;
  /** One out of use counts as if there were none. */
  readonly status?: string;
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
  readonly loadNumber: number;
  /** Approximate characters of the records it was loaded from. */
  readonly weight: number;
  /** Approximate bytes of memory that it takes. */
  readonly memory: number;
  /** Set where the private keys are missing: the ledger is read, and signs nothing (export#import). */
  readonly isReadOnly?: true;
  /** Absent unless an operator has stopped the ledger. */
  readonly suspension?: Suspension;
  readonly owners: readonly string[];
  readonly access: readonly AccessEntry[];
  readonly config: JsonObject;
  readonly record: RecordEnvelope;
  readonly policies: ReadonlyMap<string, AccessPolicy>;
  readonly domains: ReadonlyMap<string, Domain>;
  /** By kind of record they are for, then by handle. */
  readonly schemas: ReadonlyMap<string, ReadonlyMap<string, SchemaEntry>>;
  /** By the signal they subscribe to, oldest first. */
  readonly effects: ReadonlyMap<string, readonly LedgerEffect[]>;
  readonly system: Countersigner;
  /** Signs for signers whose requests carry a token instead of a signature (interface/tokens#impersonation). */
  readonly auth: Countersigner;
  /** Signs the movements of intents (interface/intents#trails). */
  readonly core: Countersigner;
  /** Names what stays of erased records (interface/records#erase). */
  readonly veil: Veil;
}

/**
 * Whether a record in the domain `border` counts for a record in `domain`: it does when `domain` is `border` or below it.
 * A record outside every domain counts everywhere (docs/interface/domains.md).
 */
export function isInDomain(
  ledger: Pick<Ledger, 'domains'>,
  domain: string | undefined,
  border: string | undefined,
): boolean {
  return border === undefined || domainsFrom(ledger, domain).some(({ handle }) => handle === border);
}

/**
 * Whether a key is one that the ledger signs with. Its signatures are known to bridges and to readers of records, so a
 * token or proof with it in a request does not identify the sender.
 */
export function isOwn({ system, auth, core }: Pick<Ledger, 'system' | 'auth' | 'core'>, key: string): boolean {
  return key === system.public || key === auth.public || key === core.public;
}

/** The domain of that handle and every domain above it, nearest first (interface/domains#rules-of-a-domain). */
export function domainsFrom(ledger: Pick<Ledger, 'domains'>, handle: string | undefined): Domain[] {
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

/**
 * Whether a key is one of the ledger's own and stands for no signer. Bridges and readers of records know what the
 * ledger has signed, so in a client's request such a key does not identify the sender.
 */
export function isLedgerKey({ ledger, isOwn: own }: { ledger: Ledger; isOwn?: true }, key: string): boolean {
  return own !== true && isOwn(ledger, key);
}
