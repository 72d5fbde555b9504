import { Worker } from 'node:worker_threads';
import type { StoredProof, Suite } from '@countersign/protocol';
import {
  CHECK_BYTES,
  DIGEST_BYTES,
  SIGNATURE_BYTES,
  type SigningTask,
  type ThreadAnswer,
  type ThreadMessage,
  type VerifyingTask,
} from './signing-worker.js';

/** A key of the server's own. */
export interface SigningKey {
  /** Base64. */
  readonly public: string;
  /** The 32-byte seed. */
  readonly secret: Uint8Array;
}

/** A proof that is complete but for its signature: `result` is empty until then. */
export interface Unsigned {
  readonly proof: StoredProof;
  readonly key: SigningKey;
}

/** A signature of a client's, to be verified. */
export interface SignatureCheck {
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** What was signed: 32 bytes. */
  readonly digest: Uint8Array;
  /** The public key: 32 bytes. */
  readonly key: Uint8Array;
}

/** Makes and verifies signatures, many of them in a thread of its own (decision 0028). */
export interface Signing {
  /** Sets `result` of the proofs. Those of an earlier call are signed before, unless they cannot be sent to the thread. */
  sign(proofs: readonly Unsigned[]): Promise<void>;
  /** Whether each signature is the key's over the digest. */
  verify(checks: readonly SignatureCheck[]): Promise<readonly boolean[]>;
  /** Ends the thread. Later calls sign and verify on the main thread. */
  close(): Promise<void>;
}

export interface SigningOptions {
  readonly suite: Suite;
  /** Told of a thread that has ended unasked, says nothing or something else, or cannot be told. */
  readonly failed: (error: Error) => void;
  /** Fewer signatures than these are made or verified here at once, unless others wait: asking the thread takes longer. */
  readonly least?: number;
  /** Milliseconds after which a thread that answers nothing is replaced. */
  readonly patience?: number;
  /** The program of the thread. */
  readonly program?: URL;
}

/** What the thread is asked for. */
interface Question {
  /** The task, made anew for each thread that is asked: its bytes go to the thread. */
  task(): { readonly task: SigningTask | VerifyingTask; readonly bytes: ArrayBuffer };
  /** Bytes of the answer. */
  readonly length: number;
  /** Takes what the thread has answered. */
  take(bytes: Uint8Array): void;
  /** Does without the thread. */
  answerHere(): void;
}

interface Asked {
  readonly number: number;
  readonly question: Question;
  resolve(): void;
  reject(error: unknown): void;
}

/** Threads that may end in a row without an answer, before all is left to this one for good. */
const HOPELESS = 3;

/** Those of two transfers. */
const LEAST = 18;

/** Milliseconds after which a thread that answers nothing is replaced. */
const PATIENCE = 5_000;

const SECRET_KEY_BYTES = 64;

/** From sources, as in tests, the compiled program is run: Node.js loads no TypeScript. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/keys/signing-worker.js' : './signing-worker.js',
  import.meta.url,
);

export function createSigning(options: SigningOptions): Signing {
  return new SigningThread(options);
}

/**
 * A thread that is started by the first task that is long enough for it. It keeps neither keys nor anything else: when it
 * ends unasked, the next one is told all that was not answered. Signatures of Ed25519 are deterministic, so whoever makes
 * them, they are the same; and both verify by the same function.
 */
class SigningThread implements Signing {
  readonly #suite: Suite;
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

  constructor({ suite, failed, least = LEAST, patience = PATIENCE, program = PROGRAM }: SigningOptions) {
    this.#suite = suite;
    this.#failed = failed;
    this.#least = least;
    this.#patience = patience;
    this.#program = program;
  }

  async sign(proofs: readonly Unsigned[]): Promise<void> {
    await this.#ask(proofs.length, {
      task: () => toSigningTask(proofs),
      length: proofs.length * SIGNATURE_BYTES,
      take: (bytes) => setResults(proofs, bytes),
      answerHere: () => {
        for (const one of proofs) signHere(one, this.#suite);
      },
    });
  }

  async verify(checks: readonly SignatureCheck[]): Promise<readonly boolean[]> {
    let holds: readonly boolean[] = [];
    await this.#ask(checks.length, {
      task: () => toVerifyingTask(checks),
      length: checks.length,
      take: (bytes) => {
        holds = checks.map((_, at) => bytes[at] === 1);
      },
      answerHere: () => {
        holds = checks.map(({ signature, digest, key }) => this.#suite.verify(signature, digest, key));
      },
    });
    return holds;
  }

  /** @param size proofs or checks in the question */
  async #ask(size: number, question: Question): Promise<void> {
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
      return new Worker(this.#program, { name: 'signing', stdin: false });
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
      const { task, bytes } = asked.question.task();
      this.#worker!.postMessage({ number: asked.number, task } satisfies ThreadMessage, [bytes]);
    } catch (error) {
      // The thread knows nothing of it.
      this.#failed(error as Error);
      this.#asked = this.#asked.filter((one) => one !== asked);
      answerHere(asked);
    }
  }

  /** Takes the answer to the oldest question. Any other would be taken for it, and could let a forged signature pass. */
  #take({ number, bytes }: ThreadAnswer): void {
    const [first] = this.#asked;
    if (first?.number !== number || first.question.length !== bytes.length) {
      this.#giveUp(new Error('The signing thread has answered something else, and is replaced.'));
      return;
    }
    this.#asked.shift();
    this.#heard = performance.now();
    first.question.take(bytes);
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

/** Sets `result` of the proof. */
export function signHere({ proof, key }: Unsigned, suite: Suite): void {
  const signature = suite.sign(Buffer.from(proof.digest, 'hex'), key.secret);
  proof.result = Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength).toString('base64');
}

function setResults(proofs: readonly Unsigned[], signatures: Uint8Array): void {
  const bytes = Buffer.from(signatures.buffer, signatures.byteOffset, signatures.byteLength);
  for (const [at, { proof }] of proofs.entries()) {
    proof.result = bytes.toString('base64', at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
  }
}

/** Each key once, and which of them signs which digest. */
function toSigningTask(proofs: readonly Unsigned[]): ReturnType<Question['task']> {
  const keys: SigningKey[] = [];
  const bytes = new ArrayBuffer(proofs.length * DIGEST_BYTES);
  const digests = Buffer.from(bytes);
  const by = proofs.map(({ proof, key }, at) => {
    digests.write(proof.digest, at * DIGEST_BYTES, 'hex');
    const known = keys.indexOf(key);
    return known < 0 ? keys.push(key) - 1 : known;
  });
  return { task: { digests, by, keys: keys.map(secretKeyOf) }, bytes };
}

function toVerifyingTask(checks: readonly SignatureCheck[]): ReturnType<Question['task']> {
  const bytes = new ArrayBuffer(checks.length * CHECK_BYTES);
  const all = new Uint8Array(bytes);
  for (const [at, { signature, digest, key }] of checks.entries()) {
    all.set(signature, at * CHECK_BYTES);
    all.set(digest, at * CHECK_BYTES + SIGNATURE_BYTES);
    all.set(key, at * CHECK_BYTES + SIGNATURE_BYTES + DIGEST_BYTES);
  }
  return { task: { checks: all }, bytes };
}

/** The seed followed by the public key: the form libsodium signs with. */
function secretKeyOf(key: SigningKey): Uint8Array {
  const bytes = new Uint8Array(SECRET_KEY_BYTES);
  bytes.set(key.secret);
  bytes.set(Buffer.from(key.public, 'base64'), key.secret.length);
  return bytes;
}
