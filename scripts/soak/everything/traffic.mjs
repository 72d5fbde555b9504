import { Agent, request as send } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { readJson } from '@countersign/protocol';

/** Milliseconds after which a client that is given no answer asks again: a killed process answers nobody. */
const ENOUGH = 60_000;

/** Milliseconds before a request is sent again that got no answer. */
const PAUSE = 200;

/** Times that one request is sent at most. */
const TIMES = 300;

/** Sends requests until they are answered, the same bytes again and again, and judges each failure on the way. */
export class Traffic {
  /** Requests that were sent, those sent again included. */
  sent = 0;
  /** Set once nobody answers any more. */
  isOver = false;
  #port;
  #disturbances;
  #findings;
  #agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: ENOUGH });

  /**
   * @param disturbances tell what may fail at a moment
   * @param findings take what must not have happened
   */
  constructor(port, disturbances, findings) {
    this.#port = port;
    this.#disturbances = disturbances;
    this.#findings = findings;
  }

  /**
   * @param sought `{ method, path, ledger, text }`
   * @returns `{ status, text, times }`: an answer below 500, and how often it was sent
   * @throws Error when there is none after very many
   */
  async ask({ method = 'GET', path, ledger, text }) {
    const headers = { 'x-ledger': ledger, ...(text === undefined ? {} : { 'content-type': 'application/json' }) };
    for (let times = 1; times <= TIMES && !this.isOver; times += 1) {
      const began = Date.now();
      this.sent += 1;
      const answer = await this.#once({ method, path: `/v2${path}`, headers }, text).catch((error) => ({
        failed: error.code ?? error.message,
      }));
      if (answer.failed === undefined && answer.status < 500 && answer.status !== 408) return { ...answer, times };
      const failure = answer.failed ? { kind: 'connection', why: answer.failed } : refusalOf(answer);
      this.#note({ ...failure, began, ended: Date.now(), method, path });
      await pause(Math.max(PAUSE, 1_000 * Math.min(5, Number(answer.retryAfter ?? 0))));
    }
    throw new Error(`${method} ${path} was not answered after ${TIMES} times`);
  }

  #note(failure) {
    const cause = this.#disturbances.causeOf(failure);
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
      const late = setTimeout(() => sent.destroy(new Error(`no answer in ${ENOUGH} ms`)), ENOUGH);
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
