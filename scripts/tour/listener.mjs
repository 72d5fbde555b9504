import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReceiver } from '../../examples/receiver/receiver.mjs';
import { Surprise } from './surprise.mjs';

/** Milliseconds to wait for an event. */
const PATIENCE = 30_000;

/** Milliseconds between two looks at what became of a delivery. */
const PAUSE = 250;

/** Receives the events of a ledger on this machine, by the example of a receiver. */
export class Listener {
  #receiver;
  #folder;
  #event;

  /** Listens for events that `key` has signed; all others are refused. */
  async open(key) {
    this.#folder = await mkdtemp(join(tmpdir(), 'countersign-tour-'));
    const onEvent = (event) => {
      this.#event = event;
    };
    this.#receiver = await startReceiver({ key, folder: this.#folder, onEvent });
  }

  /** Where the ledger is to send events. */
  get url() {
    return this.#receiver.url;
  }

  /**
   * Waits for an event.
   *
   * @param path of the effect, whose deliveries tell when the server does not get here
   * @returns the verified event; nothing when the server may not call this machine
   * @throws Surprise when neither is known in time
   */
  async next(client, path) {
    for (let waited = 0; waited < PATIENCE; waited += PAUSE) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (this.#event) return this.#event;
      if (await isShutOut(client, path)) return undefined;
    }
    throw new Surprise(
      `No event came to ${this.url} within ${PATIENCE / 1000} seconds. The server must run on this machine, with\n` +
        'DELIVERY_ALLOW_PRIVATE=true.',
    );
  }

  async close() {
    await this.#receiver?.close();
    if (this.#folder) await rm(this.#folder, { recursive: true });
  }
}

/** Whether a delivery says that the server calls public addresses only; where that is not told, the wait decides. */
async function isShutOut(client, path) {
  const list = await client.call(200, 'GET', `${path}/events`).catch(() => undefined);
  return list?.data.some(({ meta }) => meta.proofs.some(({ custom }) => custom?.detail?.code === 'EACCES')) ?? false;
}
