import type { Drain } from '../store/deployment/drain.js';
import type { Leaders } from '../store/money/leaders.js';
import type { SequencerMetrics } from './metrics.js';
import { sequencerLimits } from './sequencer-limits.js';

/** Another process of this machine is the leader of the ledger: the request is to go to it. Nothing is stored. */
export class Elsewhere extends Error {
  /** @param holder name of the leader */
  constructor(readonly holder: string) {
    super('Another process is the leader of the ledger.');
  }
}

/** That this process is the leader of a ledger for a while yet. */
export interface Lead {
  /** Whether another process may have decided since this one did. */
  readonly isAnew: boolean;
  /** Milliseconds since 1970 of the last decision, as far as it was asked for. */
  readonly moment: number;
}

const STILL: Lead = { isAnew: false, moment: 0 };

/** What leading a ledger needs. */
export interface LeadershipDeps {
  readonly leaders: Leaders;
  /** Milliseconds of a monotonic clock: for leases. */
  readonly clock: () => number;
  readonly metrics: Pick<SequencerMetrics, 'movedLeader'>;
  /** While it drains, this process leaves all ledgers to others. */
  readonly drain: Pick<Drain, 'isDraining'>;
}

/** What a process knows of the leader of one ledger, by its monotonic clock. */
export class Leadership {
  /** When the lead of this process ends; until when another process is known to have it. */
  #until = Number.NEGATIVE_INFINITY;
  #awayUntil = Number.NEGATIVE_INFINITY;
  #holder: string | undefined;

  constructor(
    private readonly ledger: number,
    private readonly deps: LeadershipDeps,
  ) {}

  get isOver(): boolean {
    return this.deps.clock() >= this.#until;
  }

  /** The other process that was the leader when this one asked last. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** A commit that began then has renewed it. */
  renew(since: number): void {
    this.#until = Math.max(this.#until, since + sequencerLimits.lease);
  }

  /** A commit has found another leader: the lead of this process is over. */
  expire(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** Forgets which process is the leader. */
  askAnew(): void {
    this.#awayUntil = Number.NEGATIVE_INFINITY;
    this.#holder = undefined;
  }

  /** Makes this process the leader, or has it stay so. @returns undefined while another process is the leader */
  async acquire(): Promise<Lead | undefined> {
    const { clock, leaders, metrics } = this.deps;
    const now = clock();
    if (this.deps.drain.isDraining) {
      this.expire();
      return undefined;
    }
    if (now < this.#until - sequencerLimits.margin) return STILL;
    if (now < this.#awayUntil) return undefined;
    const found = await leaders.acquire(this.ledger, sequencerLimits.lease);
    if ('holder' in found) {
      this.#holder = found.holder;
      this.#awayUntil = now + sequencerLimits.margin;
      return undefined;
    }
    this.#holder = undefined;
    const isAnew = now >= this.#until;
    this.#until = now + sequencerLimits.lease;
    if (found.isMoved) metrics.movedLeader();
    return { isAnew, moment: Date.parse(found.moment) };
  }
}
