import { Worker } from 'node:worker_threads';
import type { StoredProof, Suite } from '@countersign/protocol';
import type { SigningAnswer, SigningTask } from './signing-worker.js';

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

/** Makes signatures, many of them in a thread of its own (decision 0028). */
export interface Signing {
  /** Sets `result` of the proofs. Those of an earlier call are signed before. */
  sign(proofs: readonly Unsigned[]): Promise<void>;
  /** Ends the thread. What is signed from then on is signed here. */
  close(): Promise<void>;
}

export interface SigningOptions {
  readonly suite: Suite;
  /** Told of a thread that has ended unasked. */
  readonly failed: (error: Error) => void;
  /** Fewer proofs than these are signed here at once: asking the thread takes longer. */
  readonly least?: number;
  /** Milliseconds after which a thread that answers nothing is replaced. */
  readonly patience?: number;
  /** The program of the thread. */
  readonly program?: URL;
}

/** What the thread was asked for. */
interface Asked {
  readonly proofs: readonly Unsigned[];
  /** Milliseconds of a monotonic clock. */
  readonly since: number;
  resolve(): void;
}

/** Threads that may end in a row without having signed anything, before signing is left to this one. */
const HOPELESS = 3;

/** Those of two transfers. */
const LEAST = 18;

/** Milliseconds after which a thread that answers nothing is replaced. */
const PATIENCE = 5_000;

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 64;
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
 * them, they are the same.
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
  readonly #asked: Asked[] = [];
  #worker: Worker | undefined;
  #isReady = false;
  #isClosed = false;
  /** Threads that have ended since one has signed. */
  #ended = 0;

  constructor({ suite, failed, least = LEAST, patience = PATIENCE, program = PROGRAM }: SigningOptions) {
    this.#suite = suite;
    this.#failed = failed;
    this.#least = least;
    this.#patience = patience;
    this.#program = program;
  }

  async sign(proofs: readonly Unsigned[]): Promise<void> {
    const isLong = proofs.length >= this.#least;
    if (isLong && !this.#worker) this.#start();
    // What was asked for before is signed before.
    const isInTurn = this.#asked.length > 0;
    if (!isInTurn && !(isLong && this.#isReady)) {
      this.#signHere(proofs);
      return;
    }
    await new Promise<void>((resolve) => {
      this.#asked.push({ proofs, since: performance.now(), resolve });
      if (this.#isReady) this.#tell(proofs);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#drop();
    this.#signAllHere();
    await worker?.terminate();
  }

  #start(): void {
    if (this.#isClosed || this.#ended >= HOPELESS) return;
    const worker = this.#startWorker();
    if (!worker) return;
    this.#worker = worker;
    this.#timer ??= setInterval(() => this.#replaceSilent(), this.#patience / 4).unref();
    // The server decides how long the process lives.
    worker.unref();
    worker.on('message', (answer: SigningAnswer | 'ready') => {
      if (worker !== this.#worker) return;
      if (answer === 'ready') this.#begin();
      else this.#take(answer);
    });
    worker.on('error', (error) => this.#failed(error));
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
    const [oldest] = this.#asked;
    if (!this.#worker || !oldest || performance.now() - oldest.since < this.#patience) return;
    const silent = this.#worker;
    this.#failed(new Error('The signing thread has answered nothing, and is replaced.'));
    this.#replace();
    void silent.terminate();
  }

  /** Tells a new thread what the one before has left. */
  #begin(): void {
    this.#isReady = true;
    // Of those that have waited for the one before, none is older than this one.
    const since = performance.now();
    for (const [at, asked] of this.#asked.entries()) {
      this.#asked[at] = { ...asked, since };
      this.#tell(asked.proofs);
    }
  }

  #replace(): void {
    this.#drop();
    this.#ended += 1;
    if (this.#asked.length > 0) this.#start();
    if (!this.#worker) this.#signAllHere();
  }

  #drop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#worker = undefined;
    this.#isReady = false;
  }

  #tell(proofs: readonly Unsigned[]): void {
    const task = toTask(proofs);
    this.#worker!.postMessage(task, [task.digests.buffer as ArrayBuffer]);
  }

  /** Takes the signatures of the task that was asked for first. */
  #take({ signatures }: SigningAnswer): void {
    const { proofs, resolve } = this.#asked.shift()!;
    const bytes = Buffer.from(signatures.buffer, signatures.byteOffset, signatures.byteLength);
    for (const [at, { proof }] of proofs.entries()) {
      proof.result = bytes.toString('base64', at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES);
    }
    this.#ended = 0;
    resolve();
  }

  #signAllHere(): void {
    for (const { proofs, resolve } of this.#asked.splice(0)) {
      this.#signHere(proofs);
      resolve();
    }
  }

  #signHere(proofs: readonly Unsigned[]): void {
    for (const { proof, key } of proofs) {
      const signature = this.#suite.sign(Buffer.from(proof.digest, 'hex'), key.secret);
      proof.result = Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength).toString('base64');
    }
  }
}

/** Each key once, and which of them signs which digest. */
function toTask(proofs: readonly Unsigned[]): SigningTask {
  const keys: SigningKey[] = [];
  const digests = Buffer.from(new ArrayBuffer(proofs.length * DIGEST_BYTES));
  const by = proofs.map(({ proof, key }, at) => {
    digests.write(proof.digest, at * DIGEST_BYTES, 'hex');
    const known = keys.indexOf(key);
    return known < 0 ? keys.push(key) - 1 : known;
  });
  return { digests, by, keys: keys.map(secretKeyOf) };
}

/** The seed followed by the public key: the form libsodium signs with. */
function secretKeyOf(key: SigningKey): Uint8Array {
  const bytes = new Uint8Array(SECRET_KEY_BYTES);
  bytes.set(key.secret);
  bytes.set(Buffer.from(key.public, 'base64'), key.secret.length);
  return bytes;
}
