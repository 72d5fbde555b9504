import { request as httpRequest } from 'node:http';
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
