import { connect } from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * One keep-alive connection that speaks just enough HTTP/1.1: one request at a time, answers with a `content-length`.
 * A full client would take more of the processors than the servers that are measured.
 */
export class Connection {
  #socket;
  #done = undefined;
  #failed = undefined;
  /** Bytes of a head that is not whole yet. */
  #partial = undefined;
  /** Bytes of the body still to come. */
  #left = 0;
  #status = 0;
  #kept = undefined;

  /** Connects to a port of this machine. */
  static open(port) {
    return new Promise((resolve, reject) => {
      const connection = new Connection();
      const onread = {
        buffer: Buffer.allocUnsafe(256 * 1024),
        callback: (size, buffer) => connection.#read(size, buffer),
      };
      const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, () => resolve(connection));
      connection.#socket = socket;
      socket.on('error', (error) => {
        reject(error);
        connection.#failed?.(error);
      });
      socket.on('close', () => connection.#failed?.(new Error('the server closed the connection')));
    });
  }

  /**
   * Sends a request as it stands.
   *
   * @param done called with the status of the answer, and its body when it is to be kept
   * @param failed called when the connection breaks or the answer is not understood
   */
  send(request, keep, done, failed) {
    this.#done = done;
    this.#failed = failed;
    this.#kept = keep ? [] : undefined;
    this.#socket.write(request);
  }

  /** Whether it can be used. */
  get isOpen() {
    return !this.#socket.destroyed;
  }

  /** Takes what came; the buffer is used again for what comes next. */
  #read(size, buffer) {
    const chunk = buffer.subarray(0, size);
    if (this.#left > 0) this.#body(chunk);
    else this.#head(this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk]));
    return true;
  }

  #head(bytes) {
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) {
      this.#partial = Buffer.from(bytes);
      return;
    }
    this.#partial = undefined;
    const head = bytes.latin1Slice(0, end);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: (\d+)/i.exec(head);
    if (length === null) {
      this.#failed?.(new Error(`an answer without content-length: ${head}`));
      return;
    }
    this.#left = Number(length[1]);
    this.#body(bytes.subarray(end + END_OF_HEAD.length));
  }

  #body(bytes) {
    this.#kept?.push(Buffer.from(bytes));
    this.#left -= bytes.length;
    if (this.#left === 0) this.#done(this.#status, this.#kept && Buffer.concat(this.#kept).toString());
    else if (this.#left < 0) this.#failed?.(new Error('an answer longer than it said'));
  }
}
