import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';

/** Rows of the table `deployment` that drain servers: by their host, or all of them. */
export const DRAIN = 'drain ';
export const EVERY_HOST = '*';

/** The rows that drain this server. */
export const OUR_DRAINS: readonly string[] = [DRAIN + EVERY_HOST, DRAIN + hostname()];

/** Something that a drained process hands over. */
export interface Drained {
  /** Told when the drain begins, and when it is undone. */
  turned?(isDraining: boolean): void;
  /** Whether something of it is under way. */
  isBusy(): boolean;
}

/**
 * Whether an operator drains this process (docs/operations/drain.md), as it has last seen it, or a migration has left it behind, which
 * has it hand over the same.
 */
export class Drain {
  isDraining = false;
  readonly #parts: Drained[] = [];
  #wasAsked = false;
  #wasDrained = false;

  /** @param logger told once when it begins, and once when it is undone */
  constructor(private readonly logger: Pick<FastifyBaseLogger, 'warn' | 'info'>) {}

  /** Whether it has handed over all: from then on, whatever still comes, until the drain is undone. */
  get isDrained(): boolean {
    this.#wasDrained ||= this.isDraining && !this.#parts.some((part) => part.isBusy());
    return this.#wasDrained;
  }

  add(part: Drained): void {
    this.#parts.push(part);
    if (this.isDraining) part.turned?.(true);
  }

  /** Takes what was seen: whether an operator drains it, and whether it was left behind. */
  see(isAsked: boolean, isLeftBehind: boolean): void {
    if (isAsked && !this.#wasAsked)
      this.logger.warn('an operator drains this process: it is not ready, and hands over its work');
    if (!isAsked && this.#wasAsked) this.logger.info('this process is no longer drained');
    this.#wasAsked = isAsked;
    const is = isAsked || isLeftBehind;
    if (is === this.isDraining) return;
    this.isDraining = is;
    this.#wasDrained = false;
    for (const part of this.#parts) part.turned?.(is);
  }
}
