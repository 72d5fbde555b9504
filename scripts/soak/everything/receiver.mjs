import { once } from 'node:events';
import { createServer } from 'node:http';
import { hash as hashOf, readJson, verifyProof } from '@countersign/protocol';
import { native } from '../../../packages/server/dist/auth/native-suite.js';

/** How a receiver may be down: nobody listens, it refuses, or it takes what is sent and does not answer. */
export const DOWN = ['closed', 'refusing', 'silent'];

/**
 * A receiver of the events of one effect, which is up or down. It verifies every body, and notes it before it answers: what it has
 * answered is known.
 */
export class Receiver {
  /** Events by what they are about: the handle of the event, and how often it came. */
  seen = new Map();
  received = 0;
  refused = 0;
  #mode = 'up';
  #server;
  #port;
  #system;
  #keyOf;
  #findings;
  #waiting = new Set();
  #onFirst;
  #mayRepeat;

  /**
   * @param system public key of the ledger
   * @param keyOf tells from the data of an event what it is about
   * @param mayRepeat whether several events may be about the same
   * @param onFirst is called with the event when it comes first
   */
  constructor({ system, keyOf, mayRepeat = false, findings, onFirst = () => {} }) {
    this.#mayRepeat = mayRepeat;
    this.#system = system;
    this.#keyOf = keyOf;
    this.#findings = findings;
    this.#onFirst = onFirst;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Listens, from now on at the same port. */
  async open() {
    this.#server = createServer((request, response) => void this.#take(request, response));
    // The sender closes idle connections: a time-out here could close one under a request.
    this.#server.keepAliveTimeout = 0;
    this.#server.listen(this.#port ?? 0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = this.#server.address().port;
  }

  async goDown(mode) {
    this.#mode = mode;
    if (mode === 'closed') await this.close();
  }

  /** @throws Error when its port is taken meanwhile; it may be called again */
  async comeUp() {
    this.#mode = 'up';
    // What was taken in silence was not noted, and is lost as with a process that dies.
    for (const response of this.#waiting) response.destroy();
    this.#waiting.clear();
    if (!this.#server.listening) await this.open();
  }

  async close() {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close').catch(() => {});
  }

  async #take(request, response) {
    const parts = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      // The sender has gone.
      return;
    }
    if (this.#mode === 'silent') return void this.#waiting.add(response);
    if (this.#mode !== 'up') {
      this.refused += 1;
      return void response.writeHead(500).end();
    }
    this.#note(Buffer.concat(parts).toString());
    response.writeHead(202).end();
  }

  #note(text) {
    const body = readJson(text);
    const fault = this.#faultOf(body);
    if (fault !== undefined) return this.#findings.add(`an event has a wrong ${fault}`, text);
    const { handle } = body.data;
    const key = this.#keyOf(body.data);
    this.received += 1;
    const known = this.seen.get(key);
    if (known === undefined) {
      this.seen.set(key, { handle, times: 1 });
      this.#onFirst(body);
    } else if (known.handle === handle || this.#mayRepeat) known.times += 1;
    else this.#findings.add('an occurrence has two events', `${key}: ${known.handle} and ${handle}`);
  }

  #faultOf({ data, hash, meta }) {
    if (hashOf(data, native) !== hash) return 'hash';
    const [proof, ...others] = meta.proofs;
    if (others.length > 0 || proof.public !== this.#system) return 'signer';
    return verifyProof(hash, proof, native) ? undefined : 'proof';
  }
}
