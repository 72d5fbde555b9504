import { Worker } from 'node:worker_threads';
import type { ThreadAnswer, ThreadData, ThreadMessage } from './tasks.js';

/** What the thread is asked for. */
export interface Question {
  /** The message, made anew for each thread: sending it detaches `transferred`. */
  message(): { readonly task: ThreadMessage['task']; readonly transferred: ArrayBuffer };
  /** Takes what the thread has answered. @returns false for what is no answer to it */
  take(answer: ThreadAnswer): boolean;
  /** Does without the thread. */
  answerHere(): void;
}

export interface ThreadOptions {
  /** The key of the authentication codes of versions: 32 bytes (`versionKeyOf`). */
  readonly versionKey: Uint8Array;
  /** Called when the thread ends unexpectedly, cannot be started, cannot be sent a message, or answers wrongly or too late. */
  readonly failed: (error: Error) => void;
  /** Fewer signatures than these are made or verified here at once, unless others wait: asking the thread takes longer. */
  readonly least?: number;
  /** Milliseconds after which a thread that answers nothing is replaced. */
  readonly patience?: number;
  /** The program of the thread. */
  readonly program?: URL;
}

interface Asked {
  readonly number: number;
  readonly question: Question;
  resolve(): void;
  reject(error: unknown): void;
}

/** Threads that may end in a row without an answer, before all is left to this one for good. */
const HOPELESS = 3;

/** The default of `least`: the proofs of two transfers. */
const LEAST = 18;

/** The default of `patience`. */
const PATIENCE = 5_000;

/** From sources, as in tests, the compiled program is run: Node.js loads no TypeScript. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/signing/worker.js' : './worker.js',
  import.meta.url,
);

/**
 * A worker thread, started by the first task that is large enough. It keeps no task: when it ends unexpectedly, the next one is
 * sent all that is unanswered. Tasks may be repeated: Ed25519 signatures are deterministic, and assembled versions differ only
 * in the random salts of their leaves.
 */
export class SigningThread {
  readonly #versionKey: Uint8Array;
  readonly #failed: (error: Error) => void;
  readonly #least: number;
  readonly #patience: number;
  readonly #program: URL;
  /** Looks after a thread that answers nothing. */
  #timer: NodeJS.Timeout | undefined;
  /** Unanswered, in their order. */
  #asked: Asked[] = [];
  /** Number of the question that was asked last. */
  #last = 0;
  /** When the thread last began, or answered, or had nothing to answer; milliseconds of a monotonic clock. */
  #heard = 0;
  #worker: Worker | undefined;
  #isReady = false;
  #isClosed = false;
  /** Threads that have ended since one has answered. */
  #ended = 0;

  constructor({ versionKey, failed, least = LEAST, patience = PATIENCE, program = PROGRAM }: ThreadOptions) {
    this.#versionKey = versionKey;
    this.#failed = failed;
    this.#least = least;
    this.#patience = patience;
    this.#program = program;
  }

  /**
   * Has a question answered, by the thread or here: after those that were asked before.
   *
   * @param size proofs or checks in it
   * @throws what answering it here throws
   */
  async ask(size: number, question: Question): Promise<void> {
    const isLong = size >= this.#least;
    if (isLong && !this.#worker) this.#start();
    // What was asked for before is answered before.
    const isInTurn = this.#asked.length > 0;
    if (!isInTurn && !(isLong && this.#isReady)) {
      question.answerHere();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      this.#last += 1;
      if (this.#asked.length === 0) this.#heard = performance.now();
      const asked = { number: this.#last, question, resolve, reject };
      this.#asked.push(asked);
      if (this.#isReady) this.#tell(asked);
    });
  }

  /** Ends the thread. The main thread answers what is left, and all later questions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#drop();
    this.#answerAllHere();
    await worker?.terminate();
  }

  #start(): void {
    if (this.#isClosed || this.#ended >= HOPELESS) return;
    const worker = this.#startWorker();
    if (!worker) return;
    this.#worker = worker;
    this.#heard = performance.now();
    this.#timer ??= setInterval(() => this.#replaceSilent(), this.#patience / 4).unref();
    // The server decides how long the process lives.
    worker.unref();
    worker.on('message', (answer: ThreadAnswer | 'ready') => {
      if (worker !== this.#worker) return;
      if (answer === 'ready') this.#begin();
      else this.#take(answer);
    });
    worker.on('error', (error) => this.#failed(error));
    worker.on('messageerror', (error) => {
      if (worker === this.#worker) this.#giveUp(error);
    });
    worker.on('exit', (code) => {
      if (worker !== this.#worker) return;
      this.#failed(new Error(`The signing thread has ended with ${code}.`));
      this.#replace();
    });
  }

  /** @returns undefined where the system has no thread left */
  #startWorker(): Worker | undefined {
    try {
      const workerData: ThreadData = { versionKey: this.#versionKey };
      return new Worker(this.#program, { name: 'signing', stdin: false, workerData });
    } catch (error) {
      this.#ended += 1;
      this.#failed(error as Error);
      return undefined;
    }
  }

  #replaceSilent(): void {
    const [worker, heard] = [this.#worker, this.#heard];
    if (!worker || this.#asked.length === 0 || performance.now() - heard < this.#patience) return;
    // Where this thread stood still, answers have come meanwhile.
    setImmediate(() => {
      if (worker === this.#worker && heard === this.#heard && this.#asked.length > 0)
        this.#giveUp(new Error('The signing thread has answered nothing, and is replaced.'));
    });
  }

  /** Ends a thread that still runs, and does without it what it was asked for: that has waited long enough. */
  #giveUp(error: Error): void {
    const given = this.#worker;
    this.#failed(error);
    this.#drop();
    this.#ended += 1;
    this.#answerAllHere();
    void given?.terminate();
  }

  /** Tells a new thread what the one before has left. */
  #begin(): void {
    this.#isReady = true;
    this.#heard = performance.now();
    for (const asked of [...this.#asked]) this.#tell(asked);
  }

  #replace(): void {
    this.#drop();
    this.#ended += 1;
    if (this.#asked.length > 0) this.#start();
    if (!this.#worker) this.#answerAllHere();
  }

  #drop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#worker = undefined;
    this.#isReady = false;
  }

  #tell(asked: Asked): void {
    try {
      const { task, transferred } = asked.question.message();
      this.#worker!.postMessage({ number: asked.number, task } satisfies ThreadMessage, [transferred]);
    } catch (error) {
      // The thread knows nothing of it.
      this.#failed(error as Error);
      this.#asked = this.#asked.filter((one) => one !== asked);
      answerHere(asked);
    }
  }

  /** Takes the answer to the oldest question. Any other would be taken for it, and could let a forged signature pass. */
  #take(answer: ThreadAnswer): void {
    const [first] = this.#asked;
    if (first?.number !== answer.number || !first.question.take(answer)) {
      this.#giveUp(new Error('The signing thread has answered something else, and is replaced.'));
      return;
    }
    this.#asked.shift();
    this.#heard = performance.now();
    this.#ended = 0;
    first.resolve();
  }

  #answerAllHere(): void {
    for (const asked of this.#asked.splice(0)) answerHere(asked);
  }
}

function answerHere({ question, resolve, reject }: Asked): void {
  try {
    question.answerHere();
    resolve();
  } catch (error) {
    reject(error);
  }
}
