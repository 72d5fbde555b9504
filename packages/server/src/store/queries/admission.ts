import { LedgerError } from '@countersign/protocol';
import { Overloaded } from '../../base/gather.js';
import { queryLimits } from './query-limits.js';
import { createUsages } from './usage.js';

/** Bounds on lists, as in `queryLimits.listed`. */
export interface AdmissionBounds {
  /** Greatest number of concurrent runs. */
  readonly concurrency: number;
  readonly atATime: number;
  readonly slow: number;
  readonly waste: number;
  readonly halfLife: number;
  readonly waiting: number;
  readonly patience: number;
  readonly ledgers: number;
  /** Greatest number of waiting lists, of all ledgers. */
  readonly queue: number;
}

/**
 * Runs `quick` when it is the ledger's turn, and `slow`, in another turn, when `quick` was given up.
 *
 * @param quick throws `api.request-timeout` when its time is over
 * @param abandoned the refusal once the request is over: the list is then skipped
 * @throws Overloaded when the queue is full; `api.request-timeout` when its turn came too late
 */
export type Admission = <T>(
  ledger: unknown,
  quick: () => Promise<T>,
  slow: () => Promise<T>,
  abandoned?: () => Error | undefined,
) => Promise<T>;

/** A list that waits, or runs. */
interface Listing {
  readonly since: number;
  /** Number of times it was given up. */
  givenUp: number;
  /** Resolves when it has answered, or has been given up and wants another turn. */
  run(lane: Lane): Promise<'done' | 'given up'>;
  reject(error: unknown): void;
  abandoned?: (() => Error | undefined) | undefined;
}

type Lane = 'quick' | 'slow';

/** The waiting and running lists of one ledger. */
interface LedgerQueue {
  readonly quick: Listing[];
  readonly slow: Listing[];
  running: number;
}

/**
 * Admits lists, so that the slow ones of a few ledgers leave room for the others.
 *
 * How long a list takes is known only once it was tried. So each is tried for a moment, twice, and then in a lane for
 * slow ones, as in a multilevel feedback queue. Turns go to the ledger that has used least lately, and a ledger whose
 * lists were given up repeatedly goes to the slow lane at once.
 */
export function createAdmission(bounds: AdmissionBounds, now: () => number = () => performance.now()): Admission {
  const groups = new Map<unknown, LedgerQueue>();
  const usages = createUsages(bounds, now);
  const running = { quick: 0, slow: 0 };
  let waiting = 0;

  /** The ledger with a list waiting for the lane that will have used least; among equals the one that came first. */
  const chosen = (lane: Lane): [unknown, LedgerQueue] | undefined => {
    let best: [unknown, LedgerQueue] | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [ledger, group] of groups) {
      if (group[lane].length === 0 || group.running >= bounds.atATime) continue;
      const { used, each } = usages.of(ledger);
      if (used + each < least) [best, least] = [[ledger, group], used + each];
    }
    return best;
  };

  const start = async (ledger: unknown, group: LedgerQueue, lane: Lane) => {
    const listing = group[lane].shift()!;
    waiting -= 1;
    const refused = now() - listing.since > bounds.patience ? noTurn() : listing.abandoned?.();
    if (refused) {
      listing.reject(refused);
      forget(ledger, group);
      return;
    }
    group.running += 1;
    running[lane] += 1;
    const began = now();
    const expected = usages.begin(ledger);
    const outcome = await listing.run(lane);
    const took = now() - began;
    const usage = usages.end(ledger, expected, took);
    group.running -= 1;
    running[lane] -= 1;
    if (outcome === 'given up') {
      usage.wasted += took;
      listing.givenUp += 1;
      // A busy machine may have slowed it down; a second time that is rare.
      const again = listing.givenUp === 1 && usage.wasted < bounds.waste;
      group[again ? 'quick' : 'slow'].push(listing);
      waiting += 1;
    }
    forget(ledger, group);
    next();
  };

  const forget = (ledger: unknown, group: LedgerQueue) => {
    if (group.running === 0 && group.quick.length === 0 && group.slow.length === 0) groups.delete(ledger);
  };

  const next = () => {
    while (running.quick + running.slow < bounds.concurrency) {
      const slow = running.slow < bounds.slow ? chosen('slow') : undefined;
      const turn = slow ?? chosen('quick');
      if (!turn) return;
      const [ledger, group] = turn;
      if (!slow && usages.of(ledger).wasted >= bounds.waste) group.slow.push(...group.quick.splice(0));
      else void start(ledger, group, slow ? 'slow' : 'quick');
    }
  };

  return (ledger, quick, slow, abandoned) =>
    new Promise((resolve, reject) => {
      const group = groups.get(ledger) ?? { quick: [], slow: [], running: 0 };
      if (waiting >= bounds.queue || group.quick.length + group.slow.length >= bounds.waiting) {
        reject(new Overloaded());
        return;
      }
      groups.set(ledger, group);
      const run = (lane: Lane) => attemptRun(lane, lane === 'quick' ? quick : slow, resolve, reject);
      group.quick.push({ since: now(), givenUp: 0, run, reject, abandoned });
      waiting += 1;
      next();
    });
}

/** Runs a list and passes its outcome on; a list given up in the quick lane stays pending. */
async function attemptRun<T>(
  lane: Lane,
  run: () => Promise<T>,
  resolve: (found: T) => void,
  reject: (error: unknown) => void,
): Promise<'done' | 'given up'> {
  try {
    resolve(await run());
  } catch (error) {
    if (lane === 'quick' && isTooLong(error)) return 'given up';
    reject(error);
  }
  return 'done';
}

function isTooLong(error: unknown): boolean {
  return error instanceof LedgerError && error.reason === 'api.request-timeout';
}

function noTurn(): LedgerError {
  const detail = `Other lists took more than ${queryLimits.listed.patience / 1000} seconds. Filters for equality are found faster.`;
  return new LedgerError('api.request-timeout', detail);
}
