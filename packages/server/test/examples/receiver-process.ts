import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { Outgoing } from '../support/outgoing.js';
import { ExampleProcess } from './example-process.js';

/** The example of a receiver, as a process of its own. */
export class ReceiverProcess extends ExampleProcess {
  constructor(settings: Record<string, string>) {
    super('examples/receiver/receiver.mjs', settings);
  }

  /** Starts one, and waits until it listens. */
  static async start(settings: Record<string, string>): Promise<ReceiverProcess> {
    const receiver = new ReceiverProcess(settings);
    await receiver.listens(/^receiving on (\S+) /m);
    return receiver;
  }

  /** Stops it, and gives all lines that it printed, one for each event: what it prints is read later than its answers. */
  async printed(): Promise<string[]> {
    await this.stop();
    return this.out.split('\n').filter((line) => line !== '' && !line.startsWith('receiving on'));
  }

  /** Sends a delivery as the server does. @returns the status of the answer */
  async send({ body, headers }: Outgoing, changes: Partial<{ body: string; headers: object }> = {}): Promise<number> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers(), ...changes.headers },
      body: changes.body ?? body,
    });
    await response.text();
    return response.status;
  }
}

/**
 * Sends a request that is written piece by piece.
 *
 * @param write may stop before the end
 * @returns the status of the answer, as soon as there is one
 */
export function sendInPieces(
  url: string,
  headers: Record<string, string>,
  write: (send: (piece: string) => void, end: () => void) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method: 'POST', headers }, (incoming) => {
      resolve(incoming.statusCode ?? 0);
      incoming.resume();
      outgoing.on('error', () => undefined).destroy();
    });
    outgoing.once('error', reject);
    write(
      (piece) => outgoing.write(piece),
      () => outgoing.end(),
    );
  });
}

/**
 * Sends a body of zeros, and looks at no answer before it has all left.
 *
 * @param told its length
 * @param sent how much of it is sent
 * @returns the first line of the answer once the other side has closed the connection
 *
 * @throws Error when the connection breaks first
 */
export function sendBlindly(url: string, told: number, sent: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(url);
    const socket = connect(Number(port), hostname).once('error', reject).pause();
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    socket.once('close', () => resolve(answer.split('\r\n')[0] ?? ''));
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: receiver\r\ncontent-length: ${told}\r\n\r\n`);
    socket.write(Buffer.alloc(sent), () => socket.resume());
  });
}
