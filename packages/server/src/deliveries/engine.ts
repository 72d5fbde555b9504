import type { WeightedSemaphore } from '../base/weighted-semaphore.js';
import type { Service } from '../ledgers/service.js';
import type { DeliveryMetrics } from '../metrics.js';
import type { Outbound } from '../outbound/outbound.js';
import type { DeliveryStore, DueQuestion } from '../store/outbox/deliveries.js';
import type { DeliveryState } from '../store/outbox/settle-deliveries.js';
import type { DeliveryBounds } from './delivery-limits.js';
import type { Slots } from './slots.js';
import type { VersionReader } from './versions.js';

/** What the deliveries of one process share. */
export interface DeliveryDeps {
  readonly bounds: DeliveryBounds;
  /** The service; its calls go out by connections of their own, so that forwarding keeps its share. */
  readonly service: Service & { readonly outbound: Outbound };
  readonly store: DeliveryStore;
  /** Asks whether more of a queue is due, together with the questions about other queues. */
  readonly hasDue: (question: DueQuestion) => Promise<boolean>;
  readonly versions: VersionReader;
  readonly slots: Slots;
  /** Ids of ledgers of which a queue sets deliveries aside at the moment. */
  readonly setsAside: Set<number>;
  /** Bounds the bytes of long events that are held at a time. */
  readonly longEvents: WeightedSemaphore;
  /** Stores an outcome, together with others of the ledger; tries again until the signal is aborted. */
  readonly settle: (settlement: DeliveryState, signal: AbortSignal) => Promise<void>;
  /** Says that deliveries which were set aside may be due. */
  readonly goOn: () => void;
  readonly report: DeliveryReport;
}

/** What metrics and the log are told of deliveries. */
export interface DeliveryReport extends Pick<DeliveryMetrics, 'attempted'> {
  /** A delivery was given up. */
  gaveUp(
    delivery: {
      readonly ledger: string;
      /** Handle of the effect, or what the call was for. */
      readonly effect?: string;
      readonly call?: string;
      readonly delivery: string;
      readonly target: string;
    },
    error: unknown,
  ): void;
}
