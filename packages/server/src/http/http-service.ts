import type { Journal } from '../journal/journal.js';
import type { Service } from '../ledgers/service.js';
import type { TellRefusal } from '../metering/refusals.js';
import type { Engine } from '../money/money.js';
import type { Drain } from '../store/deployment/drain.js';
import type { Readiness } from '../store/readiness.js';
import type { TokenRefusal } from './refused-tokens.js';
import type { Siblings } from './relay/siblings.js';

/** What the HTTP server is given: made once, in `app.ts`. */
export interface HttpService extends Service {
  /** Handle of this deployment, shown by the server information. */
  readonly name: string;
  /** Release of this server. */
  readonly build: string;
  readonly readiness: Readiness;
  /** Addresses of the nodes of a cluster that do not answer. */
  readonly nodesDown: () => readonly string[];
  readonly drain: Drain;
  /** Decides on intents. */
  readonly engine: Engine;
  /** The other processes of this machine, which new intents may have to go to. */
  readonly siblings: Siblings;
  /** The ledger of requests that leave it unnamed; usually unset. */
  readonly defaultLedger?: string;
  /** Origins of other servers that the console may ask; undefined where it is not served. */
  readonly consoleServers?: readonly string[];
  /** Called with every request and connection that a limit refuses. */
  readonly limitRefused: TellRefusal;
  /** The part of requests that succeed which the access log has; undefined for no access log. */
  readonly accessLog?: number;
  /** Handles of the ledgers that have metrics of their own; none unless given. */
  readonly measuredLedgers?: readonly string[];
  /** Where requests of ledgers that keep a journal are written down. */
  readonly journal: Journal;
  /** Called with every refused token. */
  readonly tokenRefused?: (refused: TokenRefusal) => void;
}
