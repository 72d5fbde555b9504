import { Overloaded } from '../base/gather.js';
import { LruCache } from '../base/lru-cache.js';
import { HandshakesResting } from './handshakes.js';
import { handshakeLimits, trialLimits } from './outbound-limits.js';
import type { TriedHost } from './trial-messages.js';
import { startTrialThread, type TrialThread } from './trial-thread.js';

/**
 * Trials of hosts, which tenants choose: a thread makes a TLS handshake with a host before the event loop makes one. OpenSSL verifies
 * whatever certificates it is sent, and holds the thread that it runs in meanwhile.
 */
export type Trials = ReturnType<typeof createTrials>;

/** The code of a handshake that takes longer than is taken. */
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
     * Tries a host. Calls of a ledger share a trial.
     *
     * @throws HandshakesResting, Overloaded
     * @throws Error with a `code` where there is no handshake, or it takes long: `SLOW_HANDSHAKE`
     */
    async make(tried: TriedHost): Promise<void> {
      const key = `${tried.ledger} ${keyOf(tried)}`;
      const trial = underWay.get(key) ?? make(tried).finally(() => underWay.delete(key));
      underWay.set(key, trial);
      await trial;
    },
    /** Has a host tried again before its next call: a handshake on the event loop took long. */
    forget(tried: TriedHost): void {
      passed.get(tried.ledger)?.delete(keyOf(tried));
    },
    /** Ends the thread: trials under way are put off. */
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
