import { connect, type Socket } from 'node:net';
import { limits } from '../limits.js';
import { FrameWriter } from './frame-writer.js';
import { FrameReader } from './frames.js';

/** A question was not answered. Whether it was acted on is unknown. */
export class NoAnswer extends Error {
  constructor() {
    super('A sibling has not answered.');
  }
}

interface Question {
  readonly since: number;
  resolve(answer: string): void;
  reject(error: NoAnswer): void;
}

/** A connection to one sibling, with the questions that wait for an answer. */
export class Connection {
  readonly #socket: Socket;
  readonly #writer: FrameWriter;
  readonly #waiting = new Map<number, Question>();
  #asked = 0;
  #heard: number;

  /** @param ended called once it is closed, with whether the sibling was ever reached */
  constructor(
    path: string,
    private readonly clock: () => number,
    ended: (wasReached: boolean) => void,
  ) {
    let wasReached = false;
    const reader = new FrameReader();
    const socket = connect(path, () => {
      wasReached = true;
    });
    this.#socket = socket;
    this.#writer = new FrameWriter(socket);
    this.#heard = clock();
    const timer = setInterval(() => this.#look(), limits.siblings.silence / 4).unref();
    socket.on('data', (chunk) => {
      this.#heard = clock();
      try {
        for (const { number, text } of reader.take(chunk)) this.#answer(number, text);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearInterval(timer);
      ended(wasReached);
      for (const { reject } of this.#waiting.values()) reject(new NoAnswer());
      this.#waiting.clear();
    });
  }

  /** @throws NoAnswer, also for one that is too long, or that finds too many bytes waiting to be sent */
  ask(text: string): Promise<string> {
    const { frame, unsent } = limits.siblings;
    // A character takes three bytes at most.
    if (this.#socket.destroyed || this.#socket.writableLength > unsent || text.length * 3 > frame)
      return Promise.reject(new NoAnswer());
    this.#asked = (this.#asked + 1) % 2 ** 32;
    const number = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { since: this.clock(), resolve, reject });
      this.#writer.write({ number, text });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #answer(number: number, text: string): void {
    const question = this.#waiting.get(number);
    this.#waiting.delete(number);
    question?.resolve(text);
  }

  /** Looks once what has arrived is read: this process may have stood still itself. */
  #look(): void {
    setImmediate(() => this.#assertAlive());
  }

  /** A sibling that answers nothing stands still: those that wait are told. */
  #assertAlive(): void {
    const [oldest] = this.#waiting.values();
    if (!oldest) return;
    if (this.clock() - Math.max(oldest.since, this.#heard) > limits.siblings.silence) this.#socket.destroy();
  }
}
