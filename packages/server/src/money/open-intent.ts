import type { RecordEnvelope } from '@countersign/protocol';
import type { StoredOpenIntent } from '../store/money/open-intents.js';
import type { IntentEvent } from './model.js';
import type { OpenState } from './open-state.js';
import type { Prepared, PreparedForward } from './prepare.js';

/** An intent under way with its current record. */
export interface OpenIntent {
  readonly row: StoredOpenIntent;
  readonly kept: OpenState;
  readonly record: RecordEnvelope;
  readonly change: number;
  /** What was found for it, where it is still to be resolved. */
  readonly prepared?: Prepared;
  /** What its credits are forwarded by, where it waits for bridges. */
  readonly forwards: readonly PreparedForward[];
  /** What has happened to it since the last decision. */
  readonly events: readonly IntentEvent[];
}
