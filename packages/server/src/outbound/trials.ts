import { Worker } from 'node:worker_threads';
import { LruCache } from '../base/lru-cache.js';
import { HandshakesResting } from './handshakes.js';
import { handshakeLimits, outboundLimits, trialLimits } from './outbound-limits.js';
import type { TrialAnswer, TrialMessage, TrialSettings, TriedHost } from './trial-messages.js';

/**
 * Trials of hosts, which tenants choose: a thread makes a TLS handshake with a host before the event loop makes one. OpenSSL verifies
 * whatever certificates it is sent, and holds the thread that it runs in meanwhile.
 */
export type Trials = ReturnType<typeof createTrials>;

/** From sources, as in tests, the compiled program is run: Node.js loads no TypeScript. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/outbound/trial-worker.js' : './trial-worker.js',
  import.meta.url,
);

/**
 * A thread starts with the first trial, and ends when there has been none for a while.
 *
 * @param ca PEM of the authorities that services are verified by; those of Node.js unless given
 * @param now milliseconds, of a clock that only goes forward
 */
export function createTrials(ca?: string, now: () => number = () => performance.now()) {
  /** Until when the handshakes with a host at an address are taken for quick. */
  const passed = new LruCache<string, { readonly until: number }>(trialLimits.remembered);
  const underWay = new Map<string, Promise<void>>();
  const thread = startOnDemand({ ca, timeout: outboundLimits.connect });
  const make = async (tried: TriedHost) => {
    const { failed, resting, spent } = await thread.run(tried);
    const { host, address } = tried;
    if (resting !== undefined) throw new HandshakesResting(host, resting);
    if (failed) throw Object.assign(new Error(failed.message), { code: failed.code });
    if (spent > handshakeLimits.quick) {
      const message = `verifying its certificates takes ${Math.round(spent)} ms, more than ${handshakeLimits.quick}`;
      throw Object.assign(new Error(message), { code: 'EPROTO' });
    }
    passed.set(`${host} ${address}`, { until: now() + trialLimits.life });
  };
  return {
    /**
     * Resolves when handshakes with the host are quick, as it was found at most an hour ago. Calls of a ledger share a trial.
     *
     * @throws HandshakesResting
     * @throws Error with a `code` where the host does not answer, or its handshake takes long
     */
    async pass(tried: TriedHost): Promise<void> {
      const { ledger, host, address } = tried;
      const known = passed.get(`${host} ${address}`);
      if (known && known.until > now()) return;
      const key = `${ledger} ${host} ${address}`;
      const trial = underWay.get(key) ?? make(tried).finally(() => underWay.delete(key));
      underWay.set(key, trial);
      await trial;
    },
    /** Has a host tried again before it is called: a handshake with it took long. */
    forget({ host, address }: Pick<TriedHost, 'host' | 'address'>): void {
      passed.delete(`${host} ${address}`);
    },
    /** Ends the thread: trials under way fail. */
    close: () => thread.end(),
  };
}

/** The thread, while there is something for it to do. */
function startOnDemand(settings: TrialSettings) {
  const waiting = new Map<number, { resolve(answer: TrialAnswer): void; reject(error: Error): void }>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last = 0;
  const start = () => {
    const { memory } = trialLimits;
    const resourceLimits = { maxOldGenerationSizeMb: memory.old, maxYoungGenerationSizeMb: memory.young };
    const started = new Worker(PROGRAM, { name: 'trials', stdin: false, workerData: settings, resourceLimits });
    let failure = new Error('the thread that tries hosts has ended');
    started.on('error', (error) => {
      failure = error;
    });
    started.on('message', (answer: TrialAnswer) => {
      waiting.get(answer.number)?.resolve(answer);
      waiting.delete(answer.number);
    });
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiting.values()) reject(failure);
      waiting.clear();
    });
    // The server decides how long the process lives.
    started.unref();
    return started;
  };
  const end = async () => {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  return {
    async run(tried: TriedHost): Promise<TrialAnswer> {
      clearTimeout(idle);
      idle = setTimeout(() => waiting.size === 0 && void end(), trialLimits.idle).unref();
      worker ??= start();
      last += 1;
      const number = last;
      return new Promise((resolve, reject) => {
        waiting.set(number, { resolve, reject });
        worker!.postMessage({ number, ...tried } satisfies TrialMessage);
      });
    },
    end,
  };
}
