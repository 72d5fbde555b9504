import { once } from 'node:events';
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * What becomes of a call on its way. `lost`: it arrives, its answer does not. `refused`: it does not arrive. `for good`:
 * nor is it tried again. `twice`: it arrives twice at the same time. `again`: once more, after its answer. `late`: others
 * overtake it.
 */
export const FAULTS = ['none', 'lost', 'refused', 'for good', 'twice', 'again', 'late'] as const;
export type Fault = (typeof FAULTS)[number];

/** The way from a ledger to its bridge, on which calls suffer what is drawn for them. */
export class Wires {
  url = '';
  /** How often each fault has happened. */
  readonly seen = new Map<Fault, number>();
  #target = '';
  readonly #late: Promise<unknown>[] = [];
  readonly #server = createServer((request, response) => {
    this.#carry(request, response).catch(() => response.destroy());
  });

  /** @param draw the fault of the next call, by the path and body of it */
  constructor(private readonly draw: (text: string) => Fault) {}

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#late);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  leadTo(target: string): void {
    this.#target = target;
  }

  async #carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const fault = request.method === 'PUT' ? 'none' : this.draw(text);
    this.seen.set(fault, (this.seen.get(fault) ?? 0) + 1);
    const send = () => this.#send(request, text);
    if (fault === 'refused') return void response.writeHead(503).end();
    if (fault === 'for good') return void response.writeHead(501).end();
    if (fault === 'late') await pause(30 + (text.length % 200));
    const [status] = await Promise.all([send(), ...(fault === 'twice' ? [send().catch(() => 0)] : [])]);
    if (fault === 'lost') return void response.destroy();
    response.writeHead(status).end();
    if (fault === 'again')
      this.#late.push(
        pause(50)
          .then(send)
          .catch(() => {}),
      );
  }

  #send({ method, url = '' }: IncomingMessage, text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = ask(this.#target + url, { method, headers, agent: false }, (answer) => {
        answer
          .resume()
          .on('end', () => resolve(answer.statusCode ?? 0))
          .on('error', reject);
      });
      sent.on('error', reject).end(text);
    });
  }
}
