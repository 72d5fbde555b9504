import { Worker } from 'node:worker_threads';
import { Overloaded } from '../base/gather.js';
import { outboundLimits, trialLimits } from './outbound-limits.js';
import type { TrialAnswer, TrialMessage, TrialResult, TrialSettings, TriedHost } from './trial-messages.js';

/** The thread in which hosts are tried. */
export interface TrialThread {
  /** @throws Overloaded when the thread ends meanwhile */
  run(tried: TriedHost): Promise<TrialResult>;
  end(): Promise<void>;
}

/** From sources, as in tests, the compiled program is run: Node.js loads no TypeScript. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/outbound/trial-worker.js' : './trial-worker.js',
  import.meta.url,
);

/**
 * Starts the thread.
 *
 * @param idle milliseconds without a trial after which it ends
 * @param ended told at once when it is to end: nothing more may be run; with an error when that was not asked for
 */
export function startTrialThread(
  { ca, idle }: { readonly ca?: string; readonly idle: number },
  ended: (error?: Error) => void,
): TrialThread {
  const { memory } = trialLimits;
  const workerData: TrialSettings = { ca, timeout: outboundLimits.connect };
  const worker = new Worker(PROGRAM, {
    name: 'trials',
    stdin: false,
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memory.old, maxYoungGenerationSizeMb: memory.young },
  });
  const waiting = new Map<number, { resolve(result: TrialResult): void; reject(error: Error): void }>();
  let last = 0;
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;
  const end = async () => {
    if (!isEnding) ended();
    isEnding = true;
    clearTimeout(timer);
    await worker.terminate();
  };
  const rest = () => {
    clearTimeout(timer);
    if (waiting.size === 0 && !isEnding) timer = setTimeout(end, idle).unref();
  };
  let failure = new Error('it has ended by itself');
  worker.on('error', (error) => {
    failure = error;
  });
  worker.on('message', ({ number, result }: TrialAnswer) => {
    waiting.get(number)?.resolve(result);
    waiting.delete(number);
    rest();
  });
  worker.on('exit', () => {
    if (!isEnding) ended(failure);
    isEnding = true;
    clearTimeout(timer);
    for (const { reject } of waiting.values()) reject(new Overloaded('The thread that tries hosts has ended'));
    waiting.clear();
  });
  // The server decides how long the process lives.
  worker.unref();
  return {
    run(tried) {
      clearTimeout(timer);
      last += 1;
      const number = last;
      const late = setTimeout(() => {
        failure = new Error(`it has not answered for ${trialLimits.patience} ms`);
        void worker.terminate();
      }, trialLimits.patience).unref();
      return new Promise<TrialResult>((resolve, reject) => {
        waiting.set(number, { resolve, reject });
        worker.postMessage({ number, ...tried } satisfies TrialMessage);
      }).finally(() => clearTimeout(late));
    },
    end,
  };
}
