import { Overloaded } from '../base/gather.js';
import { LruCache } from '../base/lru-cache.js';
import { HandshakesResting } from './handshakes.js';
import { handshakeLimits, trialLimits } from './outbound-limits.js';
import type { TriedHost } from './trial-messages.js';
import { startTrialThread, type TrialThread } from './trial-thread.js';

/**
 * Makes a TLS handshake with a host in a thread, before the event loop makes one. Tenants choose the hosts, and OpenSSL blocks
 * its thread for as long as it takes to verify whatever certificates it is sent.
 */
export type Trials = ReturnType<typeof createTrials>;

/** The code of the error for a handshake that takes too long. */
export const SLOW_HANDSHAKE = 'ESLOWTLS';

interface TrialOptions {
  /** PEM of the authorities that services are verified by; those of Node.js unless given. */
  readonly ca?: string;
  /** Told when the thread has ended by itself. */
  readonly failed?: (error: Error) => void;
  /** Milliseconds, of a clock that only goes forward. */
  readonly now?: () => number;
}

/** The thread starts with the first trial, and ends when there has been none for a while. */
export function createTrials({ ca, failed = () => {}, now = () => performance.now() }: TrialOptions = {}) {
  const { remembered, life, idle } = trialLimits;
  /** Of each ledger the hosts that were quick, and until when they are called without another trial. */
  const passed = new LruCache<number, LruCache<string, { readonly until: number }>>(remembered.ledgers);
  const underWay = new Map<string, Promise<void>>();
  let thread: TrialThread | undefined;
  let isClosed = false;
  const keyOf = ({ host, address }: TriedHost) => `${host} ${address}`;
  const remember = (tried: TriedHost) =>
    passed.getOrSet(tried.ledger, () => new LruCache(remembered.hosts)).set(keyOf(tried), { until: now() + life });
  const make = async (tried: TriedHost) => {
    if (isClosed) throw new Overloaded('The server is stopping');
    thread ??= startTrialThread({ ca, idle }, (error) => {
      thread = undefined;
      if (error) failed(error);
    });
    const result = await thread.run(tried);
    if ('resting' in result) throw new HandshakesResting(tried.host, result.resting);
    if ('failed' in result) throw Object.assign(new Error(result.failed.message), { code: result.failed.code });
    if (result.spent > handshakeLimits.quick) throw slow(result.spent);
    remember(tried);
  };
  return {
    /** Whether a trial within the hour has passed. */
    isPassed(tried: TriedHost): boolean {
      const until = passed.get(tried.ledger)?.get(keyOf(tried))?.until;
      return until !== undefined && until > now();
    },
    /**
     * Tries a host. Calls of one ledger that need the same trial share it.
     *
     * @throws HandshakesResting, Overloaded
     * @throws Error with a `code` where there is no handshake; `SLOW_HANDSHAKE` where it takes too long
     */
    async make(tried: TriedHost): Promise<void> {
      const key = `${tried.ledger} ${keyOf(tried)}`;
      const trial = underWay.get(key) ?? make(tried).finally(() => underWay.delete(key));
      underWay.set(key, trial);
      await trial;
    },
    /** Has a host tried again before its next call, after a handshake on the event loop that took long. */
    forget(tried: TriedHost): void {
      passed.get(tried.ledger)?.delete(keyOf(tried));
    },
    /** Ends the thread. Trials under way are refused as Overloaded. */
    async close(): Promise<void> {
      isClosed = true;
      await thread?.end();
    },
  };
}

function slow(spent: number): Error {
  const { quick } = handshakeLimits;
  const message = `verifying its certificates takes ${Math.round(spent)} ms of processor time, more than ${quick}`;
  return Object.assign(new Error(message), { code: SLOW_HANDSHAKE });
}
