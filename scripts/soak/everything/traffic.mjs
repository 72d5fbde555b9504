import { Agent, request as send } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { readJson } from '@countersign/protocol';
import { TOO_SLOW } from './disturbances.mjs';
import { Slowness } from './slowness.mjs';

/** Milliseconds in which every request is answered or its connection closed, whatever is killed: the server's own deadline is shorter. */
const ENOUGH = 60_000;

/** Milliseconds before a request is sent again that got no answer. */
const PAUSE = 200;

/** Times that one request is sent at most. */
const TIMES = 300;

/** Of these, times that it may get no answer at all, each of which is a finding. */
const SILENCES = 3;

/** Sends requests until they are answered, the same bytes again and again, and judges each failure on the way. */
export class Traffic {
  /** Requests that were sent, those sent again included. */
  sent = 0;
  /** Set once nobody answers any more. */
  isOver = false;
  #port;
  #disturbances;
  #findings;
  #patience;
  /** Requests that were answered 408 without a cause, by minute. */
  slowness = new Slowness();
  #agent = new Agent({ keepAlive: true, maxSockets: 256 });

  /**
   * @param disturbances tell what may fail at a moment
   * @param findings take what must not have happened
   * @param patience milliseconds after which a request without an answer is silent
   */
  constructor(port, disturbances, findings, patience = ENOUGH) {
    this.#port = port;
    this.#patience = patience;
    this.#disturbances = disturbances;
    this.#findings = findings;
  }

  /**
   * @param sought `{ method, path, ledger, text }`
   * @returns `{ status, text, times }`: an answer below 500, and how often it was sent
   * @throws Error when there is none after very many times, or silence several times
   */
  async ask({ method = 'GET', path, ledger, text }) {
    const headers = { 'x-ledger': ledger, ...(text === undefined ? {} : { 'content-type': 'application/json' }) };
    let silences = 0;
    for (let times = 1; times <= TIMES && !this.isOver; times += 1) {
      const began = Date.now();
      this.sent += 1;
      this.slowness.sent(began);
      const answer = await this.#once({ method, path: `/v2${path}`, headers }, text).catch((error) => ({
        failed: error.code ?? error.message,
        kind: error.kind ?? 'connection',
      }));
      if (answer.failed === undefined && answer.status < 500 && answer.status !== 408) return { ...answer, times };
      const failure = answer.failed ? { kind: answer.kind, why: answer.failed } : refusalOf(answer);
      this.#note({ ...failure, began, ended: Date.now(), method, path });
      if (failure.kind === 'silent') silences += 1;
      if (silences === SILENCES) throw new Error(`${method} ${path} got no answer ${silences} times`);
      await pause(Math.max(PAUSE, 1_000 * Math.min(5, Number(answer.retryAfter ?? 0))));
    }
    const why = this.isOver ? 'the server has ended' : `sent ${TIMES} times`;
    throw new Error(`${method} ${path} was not answered: ${why}`);
  }

  #note(failure) {
    const cause = this.#disturbances.causeOf(failure);
    if (cause === TOO_SLOW) this.slowness.slow(failure.began);
    this.#findings.failed(failure, cause);
  }

  #once(options, text) {
    return new Promise((resolve, reject) => {
      const sent = send({ ...options, host: '127.0.0.1', port: this.#port, agent: this.#agent }, (answer) => {
        const parts = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const retryAfter = answer.headers['retry-after'];
          resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString(), retryAfter });
        });
      });
      const late = setTimeout(() => {
        // First: once an answer has begun, the error of a destroyed request is that of a lost connection.
        reject(Object.assign(new Error(`no answer in ${this.#patience} ms`), { kind: 'silent' }));
        sent.destroy();
      }, this.#patience);
      sent.on('close', () => clearTimeout(late));
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

function refusalOf({ status, text, retryAfter }) {
  return { kind: 'answer', status, why: `${status} ${reasonOf(text)}`, retryAfter };
}

/** The reason of an error, with its detail. */
function reasonOf(text) {
  try {
    const { reason, detail } = readJson(text).data;
    return `${reason}: ${detail}`;
  } catch {
    return text.slice(0, 200);
  }
}
