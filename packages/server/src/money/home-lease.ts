import { limits } from '../limits.js';
import type { SettlerMeans } from './settler-means.js';

/** That this process is the home of a ledger for a while yet. */
export interface HeldHome {
  /** Whether another process may have decided since this one did. */
  readonly isAnew: boolean;
  /** Milliseconds since 1970 of the last decision, as far as it was asked for. */
  readonly moment: number;
}

const STILL: HeldHome = { isAnew: false, moment: 0 };

/** What a process knows of the home of one ledger, by its monotonic clock. */
export class HomeLease {
  /** When the home ends; until when another process is known to have it. */
  #until = Number.NEGATIVE_INFINITY;
  #awayUntil = Number.NEGATIVE_INFINITY;
  #holder: string | undefined;

  constructor(
    private readonly ledger: number,
    private readonly means: Pick<SettlerMeans, 'clock' | 'homes' | 'metrics'>,
  ) {}

  get isOver(): boolean {
    return this.means.clock() >= this.#until;
  }

  /** The other process that was the home when this one asked last. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** A commit that began then has renewed it. */
  renew(since: number): void {
    this.#until = Math.max(this.#until, since + limits.intents.home);
  }

  /** A commit has found another home. */
  lose(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** Forgets which process is the home. */
  askAnew(): void {
    this.#awayUntil = Number.NEGATIVE_INFINITY;
    this.#holder = undefined;
  }

  /** @returns undefined while another process is the home */
  async take(): Promise<HeldHome | undefined> {
    const { clock, homes, metrics } = this.means;
    const now = clock();
    if (now < this.#until - limits.intents.margin) return STILL;
    if (now < this.#awayUntil) return undefined;
    const taken = await homes.take(this.ledger, limits.intents.home);
    if ('holder' in taken) {
      this.#holder = taken.holder;
      this.#awayUntil = now + limits.intents.margin;
      return undefined;
    }
    this.#holder = undefined;
    const isAnew = now >= this.#until;
    this.#until = now + limits.intents.home;
    if (taken.isMoved) metrics.movedHome();
    return { isAnew, moment: Date.parse(taken.moment) };
  }
}
