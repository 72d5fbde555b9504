import type { LeaseKey, Leases } from '../store/queries/leases.js';

/** The reason to abort a run whose lease another process may have. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease was lost.');
  }
}

/** A lease that this process holds for a run. */
export interface Hold {
  readonly key: LeaseKey;
  /** Aborted with `LeaseLost` when the lease may have ended. */
  readonly controller: AbortController;
}

/** Renews leases while their work runs. */
export type Heartbeat = ReturnType<typeof createHeartbeat>;

export interface HeartbeatOptions {
  readonly leases: Pick<Leases, 'renew'>;
  /** Milliseconds for which a lease holds, and from one renewal to the next. */
  readonly bounds: { readonly lease: number; readonly beat: number };
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  readonly failed: (error: unknown) => void;
}

/**
 * One statement renews all leases of the process. A lease is lost when another process has it, or when renewals have
 * failed for as long as it holds. The time counts from before it was asked for: provided both clocks run equally fast,
 * it ends here before it ends by the database's clock.
 */
export function createHeartbeat({ leases, bounds, clock, failed }: HeartbeatOptions) {
  /** Each hold with the timer of its end. */
  const held = new Map<Hold, NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const drop = (hold: Hold) => {
    clearTimeout(held.get(hold));
    held.delete(hold);
  };

  const lose = (hold: Hold) => {
    drop(hold);
    hold.controller.abort(new LeaseLost());
  };

  const keepUntil = (hold: Hold, end: number) => {
    clearTimeout(held.get(hold));
    held.set(
      hold,
      setTimeout(() => lose(hold), end - clock()),
    );
  };

  const renew = async () => {
    const asked = [...held.keys()];
    const since = clock();
    const renewed = await leases.renew(
      asked.map(({ key }) => key),
      bounds.lease,
    );
    const names = new Set(renewed.map(formatLeaseKey));
    for (const hold of asked.filter((one) => held.has(one))) {
      if (names.has(formatLeaseKey(hold.key))) keepUntil(hold, since + bounds.lease);
      else lose(hold);
    }
  };

  const beat = () => {
    if (timer !== undefined || stopped || held.size === 0) return;
    timer = setTimeout(async () => {
      await renew().catch(failed);
      timer = undefined;
      beat();
    }, bounds.beat);
  };

  return {
    /**
     * Renews a lease until `drop`.
     *
     * @param since when it was asked for, by `HeartbeatOptions.clock`
     */
    keep(key: LeaseKey, since: number): Hold {
      const hold: Hold = { key, controller: new AbortController() };
      keepUntil(hold, since + bounds.lease);
      beat();
      return hold;
    },
    /** Ends the renewal of the lease, which the caller may then release or let expire. */
    drop,
    /** Ends all renewals. */
    stop(): void {
      stopped = true;
      clearTimeout(timer);
      for (const hold of held.keys()) drop(hold);
    },
  };
}

function formatLeaseKey({ ledger, worker, unit }: LeaseKey): string {
  return JSON.stringify([ledger, worker, unit]);
}
