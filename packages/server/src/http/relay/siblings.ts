import { Counter } from 'prom-client';
import type { Metrics } from '../../metrics.js';
import { type RelayCall, type RelayOutcome, Sibling } from './sibling.js';
import { siblingLimits } from './sibling-limits.js';
import { socketPath } from './socket-path.js';

/** The other processes of this deployment on this machine. */
export type Siblings = ReturnType<typeof createSiblings>;

/**
 * @param folder private to the user of the deployment: whoever can write to it is trusted as a process of it. Without one
 *   nobody is reached
 * @param clock milliseconds of a monotonic clock
 */
export function createSiblings(
  folder: string | undefined,
  { registry }: Pick<Metrics, 'registry'>,
  clock: () => number,
) {
  const handedOver = new Counter({
    name: 'countersign_intents_handed_over_total',
    help: 'Requests for new intents that this process has sent to the leader of their ledger: answered by it, or back, and decided here or stored for it to find.',
    labelNames: ['result'] as const,
    registers: [registry],
  });
  const siblings = new Map<string, Sibling>();
  /** Processes that could not be reached, and when they are tried again. */
  const unreached = new Map<string, number>();
  const waiting = new Map<number, number>();
  const pathOf = (holder: string) => (folder === undefined ? undefined : socketPath(folder, holder));
  const isReached = (path: string) => clock() >= (unreached.get(path) ?? Number.NEGATIVE_INFINITY);

  const siblingAt = (path: string): Sibling => {
    const known = siblings.get(path);
    if (known) return known;
    const sibling = new Sibling(path, clock, (isGone) => {
      siblings.delete(path);
      if (!isGone) return;
      if (unreached.size >= siblingLimits.known) unreached.clear();
      unreached.set(path, clock() + siblingLimits.respite);
    });
    siblings.set(path, sibling);
    return sibling;
  };

  return {
    /** Whether one can be reached: it is on this machine, and listened when it was last called. */
    reaches(holder: string): boolean {
      const path = pathOf(holder);
      return path !== undefined && isReached(path);
    },
    /**
     * Has one answer a client's request.
     *
     * @param holder its name, as the table of leaders has it
     * @param ledger id
     * @returns the answer, or why there is none: it is then decided here
     */
    async ask(holder: string, ledger: number, call: RelayCall): Promise<RelayOutcome> {
      const path = pathOf(holder);
      if (path === undefined || !isReached(path)) return 'unreached';
      const count = waiting.get(ledger) ?? 0;
      // A flood in one ledger leaves calls for the others.
      if (count >= siblingLimits.calls.ledger) return 'unreached';
      waiting.set(ledger, count + 1);
      try {
        const outcome = await siblingAt(path).ask(call);
        handedOver.inc({ result: typeof outcome === 'string' ? 'back' : 'answered' });
        return outcome;
      } finally {
        const left = waiting.get(ledger)! - 1;
        if (left > 0) waiting.set(ledger, left);
        else waiting.delete(ledger);
      }
    },
    /** Ends all calls. */
    async close(): Promise<void> {
      await Promise.all([...siblings.values()].map((one) => one.close()));
    },
  };
}
