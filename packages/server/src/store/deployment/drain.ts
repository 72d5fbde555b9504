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
export interface Drain {
  readonly isDraining: boolean;
  /** Whether it has handed over all: from then on, whatever still comes, until the drain is undone. */
  readonly isDrained: boolean;
  add(part: Drained): void;
  /** Takes what was seen: whether an operator drains it, and whether it was left behind. */
  see(isAsked: boolean, isLeftBehind: boolean): void;
}

/** @param logger told once when it begins, and once when it is undone */
export function createDrain(logger: Pick<FastifyBaseLogger, 'warn' | 'info'>): Drain {
  const parts: Drained[] = [];
  let wasAsked = false;
  let isDraining = false;
  let wasDrained = false;
  return {
    get isDraining() {
      return isDraining;
    },
    get isDrained() {
      wasDrained ||= isDraining && !parts.some((part) => part.isBusy());
      return wasDrained;
    },
    add(part) {
      parts.push(part);
      if (isDraining) part.turned?.(true);
    },
    see(isAsked, isLeftBehind) {
      if (isAsked && !wasAsked)
        logger.warn('an operator drains this process: it is not ready, and hands over its work');
      if (!isAsked && wasAsked) logger.info('this process is no longer drained');
      wasAsked = isAsked;
      const is = isAsked || isLeftBehind;
      if (is === isDraining) return;
      isDraining = is;
      wasDrained = false;
      for (const part of parts) part.turned?.(is);
    },
  };
}
