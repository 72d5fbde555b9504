import type { Suite } from '@countersign/protocol';
import type { Explain } from '../access/explain.js';
import type { Rule } from '../access/rules.js';
import type { Runtime } from '../base/clock.js';
import type { OpenFile } from '../base/contained-file.js';
import type { WeightedSemaphore } from '../base/weighted-semaphore.js';
import type { Integrity } from '../integrity/integrity.js';
import type { Items } from '../integrity/items.js';
import type { Scheduler } from '../metering/scheduler.js';
import type { Task } from '../metering/task.js';
import type { AccessTokens } from '../outbound/access-tokens.js';
import type { Outbound } from '../outbound/outbound.js';
import type { CompiledSchemas } from '../schemas/compiled.js';
import type { Replays } from '../store/queries/replays.js';
import type { Store } from '../store/store.js';
import type { LedgerMutex } from './ledger-mutex.js';
import type { Ledgers } from './ledgers.js';

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
  /** The work of this request. */
  readonly task: Task;
  /** Milliseconds a request may take before it is answered 408. */
  readonly requestTimeout: number;
  readonly masterKey: Buffer;
  readonly suite: Suite;
  readonly runtime: Runtime;
  readonly outbound: Outbound;
  readonly accessTokens: AccessTokens;
  readonly replays: Replays;
  readonly store: Store;
  readonly integrity: Integrity;
  readonly ledgers: Ledgers;
  readonly compiledSchemas: CompiledSchemas;
  readonly items: Items;
  /** Bounds the bytes that large answers hold in memory. */
  readonly answerBytes: WeightedSemaphore;
  readonly ledgerMutex: LedgerMutex;
  readonly scheduler: Scheduler;
  /** Says that deliveries were queued: they need not wait until somebody looks. */
  readonly deliveriesQueued: () => void;
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
