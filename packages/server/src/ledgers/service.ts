import type { Meta, RecordEnvelope, Suite } from '@countersign/protocol';
import type { Explain } from '../access/explain.js';
import type { Rule } from '../access/rules.js';
import type { Runtime } from '../base/clock.js';
import type { OpenFile } from '../base/contained-file.js';
import type { LedgerClock } from '../base/ledger-clock.js';
import type { WeightedSemaphore } from '../base/weighted-semaphore.js';
import type { Integrity } from '../integrity/integrity.js';
import type { Items } from '../integrity/items.js';
import type { Keyring } from '../keys/keyring.js';
import type { KindName } from '../kinds/kind.js';
import type { Logs } from '../log/log.js';
import type { Scheduler } from '../metering/scheduler.js';
import type { Task } from '../metering/task.js';
import type { TenantRates } from '../metering/tenant-rates.js';
import type { AccessTokens } from '../outbound/access-tokens.js';
import type { Outbound } from '../outbound/outbound.js';
import type { CompiledSchemas } from '../schemas/compiled-schemas.js';
import type { RequestSignatures } from '../signing/request-signatures.js';
import type { Write, WriteOutcome } from '../store/committer/write.js';
import type { ReadOnlyMode } from '../store/deployment/read-only.js';
import type { FailedAttempts } from '../store/queries/failed-attempts.js';
import type { StoredChange, Versioned } from '../store/queries/history.js';
import type { Replays } from '../store/queries/replays.js';
import type { FoundSigner } from '../store/queries/signers.js';
import type { Version } from '../store/queries/version.js';
import type { MayExceed } from '../store/quotas.js';
import type { Store } from '../store/store.js';
import type { Tracing } from '../tracing/tracing.js';
import type { KnownSigners } from './known-signers.js';
import type { Ledger } from './ledger.js';
import type { LedgerMutex } from './ledger-mutex.js';
import type { Ledgers } from './ledgers.js';
import type { RequestFacts } from './request-facts.js';

/** Dependencies of every operation: made once, in `app.ts`, except for the members about one request. */
export interface Service {
  /** The absolute URL clients call, with `/v2` and without a trailing slash. */
  readonly publicUrl: string;
  /** Other URLs that lead to the same address, where no setting says which one clients call. */
  readonly publicAliases?: readonly string[];
  /** Rules that hold on every ledger of the deployment (interface/access#levels). */
  readonly serverRules: readonly Rule[];
  /** Receives every decision on access; absent unless decisions are logged, so that it then costs nothing. */
  readonly explain?: Explain;
  /** Whether ledgers may keep journals of their requests. */
  readonly keepsJournals: boolean;
  /** Takes note of what becomes known of this request; absent where there is none. */
  readonly facts?: RequestFacts | undefined;
  /** The work of this request. */
  readonly task: Task;
  /** What senders and ledgers may do in a time. */
  readonly rates: TenantRates;
  /** Milliseconds a request may take before it is answered 408. */
  readonly requestTimeout: number;
  /** Seconds that a self-signed token may live. */
  readonly tokenMaxLife: number;
  /** Proofs that a record carries. */
  readonly recordProofs: number;
  readonly keys: Keyring;
  /** Since when, and why, an operator lets nothing be written; undefined where writes are taken. */
  readonly readOnly: () => ReadOnlyMode | undefined;
  readonly suite: Suite;
  /** Signatures of requests that come together. */
  readonly signatures: RequestSignatures;
  readonly runtime: Runtime;
  /** Moments of ledgers. */
  readonly moments: LedgerClock;
  readonly tracing: Tracing;
  readonly outbound: Outbound;
  readonly accessTokens: AccessTokens;
  readonly replays: Replays;
  readonly failedAttempts: FailedAttempts;
  readonly store: Store;
  readonly integrity: Integrity;
  readonly logs: Logs;
  readonly ledgers: Ledgers;
  readonly compiledSchemas: CompiledSchemas;
  readonly items: Items;
  /** Bounds the bytes that large answers hold in memory. */
  readonly answerBytes: WeightedSemaphore;
  readonly ledgerMutex: LedgerMutex;
  readonly scheduler: Scheduler;
  /** Stores a new intent, with all that follows from it at once (interface/intents#processing). */
  readonly settle: (intent: NewIntent) => Promise<WriteOutcome>;
  /** Says that deliveries were queued: they need not wait until somebody looks. */
  readonly deliveriesQueued: () => void;
  /** Has deliveries of an effect that was dropped, or taken out of use, end soon where they were set aside; without it they end later. */
  readonly effectEnded: (ledger: number, luid: string) => void;
  /** The same of intents that something has happened to. */
  readonly intentsDue: () => void;
  /** The same of requests to send deliveries again. */
  readonly retriesQueued: () => void;
  /** The bucket that generated files of reports must be in; absent where any place will do (interface/reports#assets). */
  readonly assetBucket?: string;
  /**
   * Opens a generated file in the operator's folder, for a ledger; nothing where there is none. Absent without a folder.
   *
   * @throws Overloaded when too many are open
   */
  readonly openAsset?: (ledger: number, path: readonly string[]) => Promise<OpenFile | undefined>;
}

/**
 * One attempt to decide on one state of a ledger (optimistic concurrency): the state, the reads that are checked
 * against it, and the commit. A read that returns another version of the ledger throws `OutOfDate`, and `inSession`
 * decides anew.
 */
export interface Session extends Service {
  /** The state that this attempt decides on; immutable. */
  readonly ledger: Ledger;
  /** Set when a worker acts for the ledger itself, under the ledger's keys; absent for every client's request. */
  readonly isOwn?: true;
  /** Set once a bridge has stored what is decided: it is stored here as well, whatever an operator has stopped. */
  readonly isForwarded?: true;
  /** Signers by public key, cached for as long as the state is current. */
  readonly signers: KnownSigners;
  /**
   * Keys that this attempt takes as unregistered. A signer may be registered without a new version of the ledger, so
   * the commit, or the refusal, checks them again.
   */
  readonly assumedUnregistered: Set<string>;
  /** The current version of a record of the ledger; undefined when it is missing. */
  findVersion(kind: KindName, id: string, by: 'handle' | 'luid'): Promise<Version | undefined>;
  /** The signer that a key or handle leads to. */
  findSigner(key: string, by: 'public' | 'handle'): Promise<FoundSigner>;
  /** One version of a record, which may have been dropped since. */
  findChange(of: Omit<Versioned, 'ledger'>, change: number): Promise<StoredChange | undefined>;
  /** Returns what a read of the store found. @throws OutOfDate when it was found under another state */
  assertFresh<T extends { readonly version: number }>(found: T): T;
  /**
   * The moment of what is decided now, ISO 8601: not earlier than the last one of the ledger.
   *
   * @param before the version that it follows
   */
  moment(before?: Pick<Meta, 'moment'>): string;
  /** Asks the database whether this state is still current. @throws OutOfDate */
  assertStillCurrent(): Promise<void>;
  /**
   * Stores a write.
   *
   * @param by what stores it; the committer unless given
   * @param needsCodes false where `by` makes the codes of all versions that it stores
   * @returns `done`; `duplicated` when its key is taken, `reused` for a create with a proof that made another record
   * @throws OutOfDate when something it was decided on has changed; `record.invalid` for a change with a proof that was
   *   used for another record; `auth.forbidden` where an operator has stopped the writes of the ledger
   */
  commit(
    write: DecidedWrite,
    by?: (write: Write) => Promise<WriteOutcome>,
    needsCodes?: boolean,
  ): Promise<'done' | 'duplicated' | 'reused'>;
}

/** A write as an operation decides it. The session adds the keys assumed to be unregistered, the authentication code and the leaf. */
export type DecidedWrite = Omit<Write, 'assumedUnregistered' | 'mac' | 'leaves' | 'veiled'> & {
  /** Whether it is stored though the ledger stores as much as it may (interface/limits#stored-bytes); false unless given. */
  readonly mayExceed?: MayExceed;
  /** Whether it ends what was decided before an operator stopped the writes of the ledger, and is stored; false unless given. */
  readonly mayEnd?: () => Promise<boolean>;
};

/** An intent that a client creates, and the write that its create has decided on. */
export interface NewIntent {
  readonly session: Session;
  readonly record: RecordEnvelope;
  readonly write: Write;
  /** Whether a bridge has stored it: what was decided must be stored. */
  readonly isForwarded: boolean;
}
