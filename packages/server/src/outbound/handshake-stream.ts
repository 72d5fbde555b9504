import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Handshake } from './handshakes.js';
import { handshakeLimits } from './outbound-limits.js';

/**
 * A connection, between TLS and its socket, which counts what the service sends until the handshake is done. OpenSSL verifies
 * every certificate that it is sent, of any form, and holds the event loop meanwhile: 80 kB of them take two seconds.
 */
export class HandshakeStream extends Duplex {
  readonly #socket: Socket;
  readonly #handshake: Handshake;
  #isDone = false;
  #received = 0;
  #waiting = 0;

  constructor(socket: Socket, handshake: Handshake) {
    super();
    this.#socket = socket;
    this.#handshake = handshake;
    // Read only when TLS asks: bytes that came before are then handed on, and timed, in the turn of the handshake.
    socket.pause();
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.once('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  /** Whether the service has sent something in the handshake, and OpenSSL has read all of it. */
  get isRead(): boolean {
    return this.#received > 0 && !this.isWaiting;
  }

  /** Whether something that the service has sent waits for its turn. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Marks the end of the handshake: what follows is not counted. */
  finish(): void {
    this.#isDone = true;
  }

  #receive(bytes: Buffer): void {
    if (this.#isDone) {
      this.#pass(bytes);
      return;
    }
    this.#received += bytes.length;
    const { bytes: most } = handshakeLimits;
    if (this.#received > most) {
      const error = new Error(`A TLS handshake has at most ${most} bytes of the service, its certificates included`);
      this.destroy(Object.assign(error, { code: 'EPROTO' }));
      return;
    }
    // What follows comes after it, in whichever turn it is read.
    this.#socket.pause();
    this.#waiting += 1;
    this.#handshake.read(
      () => {
        this.#waiting -= 1;
        if (!this.destroyed && this.#pass(bytes)) this.#socket.resume();
      },
      (error) => this.destroy(error),
    );
  }

  /** Whoever reads is called within. @returns whether more is wanted */
  #pass(bytes: Buffer): boolean {
    const isWanted = this.push(bytes);
    if (!isWanted) this.#socket.pause();
    return isWanted;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
