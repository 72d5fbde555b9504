import { Worker } from 'node:worker_threads';
import type { TaskResults, ThreadAnswer, ThreadData, ThreadMessage, ThreadTask } from './messages.js';

/** The worker thread of a process that signs, verifies and serializes. */
export interface SigningThread {
  /** @throws Error what the task failed with, or that the thread has ended */
  run<T extends ThreadTask>(task: T, transferred: ArrayBuffer): Promise<TaskResults[T['type']]>;
  /** Ends the thread: what is not answered yet fails. */
  close(): Promise<void>;
}

/** From sources, as in tests, the compiled program is run: Node.js loads no TypeScript. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/signing/worker.js' : './worker.js',
  import.meta.url,
);

/**
 * Starts the thread, and waits until it takes messages.
 *
 * @param versionKey the key of the authentication codes of versions: 32 bytes (`versionKeyOf`)
 * @param ended called when it ends before it is closed
 * @throws Error when it does not start
 */
export async function startThread(versionKey: Uint8Array, ended: (error: Error) => void): Promise<SigningThread> {
  const workerData: ThreadData = { versionKey };
  const worker = new Worker(PROGRAM, { name: 'signing', stdin: false, workerData });
  const unanswered = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  const answerTo = (number: number) =>
    new Promise<unknown>((resolve, reject) => void unanswered.set(number, { resolve, reject }));
  let last = 0;
  let isStarted = false;
  let isClosed = false;
  let end: Error | undefined;

  const fail = (error: Error) => {
    end ??= error;
    void worker.terminate();
  };
  worker.on('error', fail);
  worker.on('messageerror', fail);
  worker.on('message', ({ number, result, error }: ThreadAnswer) => {
    const { resolve, reject } = unanswered.get(number)!;
    unanswered.delete(number);
    if (error) reject(error);
    else resolve(result);
  });
  worker.on('exit', (code) => {
    end ??= new Error(`The signing thread has ended with ${code}.`);
    for (const { reject } of unanswered.values()) reject(end);
    if (isStarted && !isClosed) ended(end);
  });

  await answerTo(0);
  isStarted = true;
  // The server decides how long the process lives.
  worker.unref();
  return {
    async run(task, transferred) {
      if (end) throw end;
      last += 1;
      worker.postMessage({ number: last, task } satisfies ThreadMessage, [transferred]);
      return (await answerTo(last)) as TaskResults[(typeof task)['type']];
    },
    async close() {
      isClosed = true;
      await worker.terminate();
    },
  };
}
