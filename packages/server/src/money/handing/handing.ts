import { Garbled } from '../../siblings/frames.js';
import { NoAnswer } from '../../siblings/siblings.js';
import type { Outcome } from '../../store/committer/write.js';
import type { Item } from '../items.js';
import type { SettlerMetrics } from '../settler-means.js';
import type { WaitingIntent } from '../waiting-intent.js';
import { Elsewhere, type HandOver } from './hand-over.js';

/** An intent was handed to this process, which is not the home of its ledger. */
export class NotHome extends Error {}

/** What a settler hands intents over with. */
export interface HandingMeans {
  readonly handOver?: HandOver;
  readonly metrics: Pick<SettlerMetrics, 'handedOver'>;
}

/** How the settler goes on with an intent that comes back; `isElsewhere`: the process asked was not the home. */
export type Return = (one: WaitingIntent, isElsewhere: boolean) => void;

/**
 * The new intents of one ledger that its home was handed. One that comes back goes the way through the database: it is
 * accepted there, for the home to find.
 *
 * When the home does not answer, it may have stored the intent, and may do so yet. Both of them then store it under one
 * luid and one handle, and the database takes the first: it is decided on once.
 */
export class Handing {
  #size = 0;

  constructor(
    private readonly means: HandingMeans,
    private readonly comesBack: Return,
  ) {}

  /** Intents whose home has not answered yet. */
  get size(): number {
    return this.#size;
  }

  /** Hands intents over, and gives back those that were handed to this process. @returns the others */
  begin(holder: string | undefined, intents: readonly WaitingIntent[]): WaitingIntent[] {
    return intents.filter((one) => {
      if (!one.item.isHanded) return holder === undefined || !this.#begin(holder, one);
      one.reject(new NotHome());
      return false;
    });
  }

  #begin(holder: string, one: WaitingIntent): boolean {
    const { created } = one.item;
    if (!created || one.isReturned || !this.means.handOver) return false;
    try {
      const gone = one.item.session.task.abandonment();
      if (gone) throw gone;
      const asked = this.means.handOver(holder, created);
      if (!asked) return false;
      this.#size += 1;
      void this.#follow(one, asked);
    } catch (error) {
      one.reject(error);
    }
    return true;
  }

  async #follow(one: WaitingIntent, asked: Promise<Outcome>): Promise<void> {
    const { handedOver } = this.means.metrics;
    try {
      const outcome = await asked;
      handedOver('answered');
      one.resolve(outcome);
    } catch (error) {
      const isElsewhere = error instanceof Elsewhere;
      const isBack = isElsewhere || error instanceof NoAnswer || error instanceof Garbled;
      handedOver(isBack ? 'back' : 'answered');
      if (isBack) this.comesBack(isElsewhere ? { ...one, isReturned: true } : lost(one), isElsewhere);
      else one.reject(error);
    } finally {
      this.#size -= 1;
    }
  }
}

/** One of which nobody knows whether it is stored: when it is found to be, that is what was asked for. */
function lost(one: WaitingIntent): WaitingIntent {
  return {
    ...one,
    isReturned: true,
    resolve(outcome) {
      if (outcome.result === 'done') return one.resolve(outcome);
      isStored(one.item).then(
        (stored) => one.resolve(stored ? { ...outcome, result: 'done' } : outcome),
        (error) => one.reject(error),
      );
    },
    reject(error) {
      // Nothing that was refused on the second way undoes what the home may have stored.
      isStored(one.item).then(
        (stored) =>
          stored ? one.resolve({ result: 'done', version: one.item.session.ledger.version }) : one.reject(error),
        () => one.reject(error),
      );
    },
  };
}

async function isStored({ session: { ledger, store }, luid }: Item): Promise<boolean> {
  const found = await store.findVersion({ ledger: ledger.id, kind: 'intent', id: luid, by: 'luid' });
  return found.record !== undefined;
}
