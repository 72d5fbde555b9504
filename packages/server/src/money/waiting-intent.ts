import type { Outcome } from '../store/committer/write.js';
import type { Item } from './items.js';

/** An intent that waits for its decision. */
export interface WaitingIntent {
  readonly item: Item;
  /** How often its batch was not stored, for a reason that lies in another intent. */
  tries: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Checks that the client still waits. From here on it is decided on whether the client waits or not: the decisions that
 * follow rest on it. @throws what says that the client has gone, or that its time is over
 */
export function assertWanted({ item: { session } }: WaitingIntent): void {
  const gone = session.task.abandonment();
  if (gone) throw gone;
  session.task.mustFinish();
}
