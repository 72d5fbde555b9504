import type { Socket } from 'node:net';
import { type Frame, formatFrame } from './frames.js';

/** Writes frames to a connection: those of one turn of the event loop with one system call. */
export class FrameWriter {
  #isCorked = false;

  constructor(private readonly socket: Socket) {}

  write(frame: Frame): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.socket.cork();
      setImmediate(() => {
        this.#isCorked = false;
        this.socket.uncork();
      });
    }
    this.socket.write(formatFrame(frame));
  }
}
