import type { Session } from '../../ledgers/session.js';
import { logLimits } from '../../log/log-limits.js';
import type { ShownCheckpoint } from '../../log/publish.js';

/**
 * The newest checkpoint; where it lacks leaves that are asked for, another process may have shown a newer one. What lies
 * far outside the tree, which anybody can ask for, is no reason to look again.
 *
 * @returns undefined while nothing is shown
 * @throws LogStopped
 */
export async function currentWith({ ledger, logs }: Session, leaves: number): Promise<ShownCheckpoint | undefined> {
  const shown = await logs.current(ledger.id);
  if (!shown || shown.size >= leaves || leaves > shown.size * 2 + logLimits.grown) return shown;
  return logs.current(ledger.id, leaves);
}
