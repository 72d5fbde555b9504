import { readJson } from '@countersign/protocol';
import { type Dispatcher, Pool } from 'undici';
import type { Answer } from '../../records/command.js';
import { type AnswerHead, GRANTED, HEAD_HEADER, MISDIRECTED, OUT_OF_MEMORY, type RequestHead } from './messages.js';
import { siblingLimits } from './sibling-limits.js';

/** What became of a request that another process was sent. */
export type RelayOutcome =
  | (Answer & Pick<AnswerHead, 'facts'>)
  /** Nothing was sent, or the other process has not read it. Nothing was stored. */
  | 'unreached'
  /** That process is not the leader, and has stored nothing. */
  | 'misdirected'
  /** No answer: the intent may have been stored, or may still be. */
  | 'unknown';

/** A request that another process is sent. */
export interface RelayCall {
  readonly head: RequestHead;
  readonly body: string | undefined;
  /** Called once access is granted. It throws nothing: the other process may have stored the intent. */
  readonly granted: () => void;
  /** Registers `leave`, to be called when the client goes. @returns takes it back */
  readonly whenGone: (leave: () => void) => () => void;
}

/** The origin that requests have on a socket. */
const SOCKET_ORIGIN = 'http://sibling';

const CALLER_GONE = new Error('The client has gone.');

/** Another process of this machine. */
export class Sibling {
  readonly #pool: Pool;
  /** A connection for pings: calls may take all of the others. */
  readonly #pings: Pool;
  readonly #watching: NodeJS.Timeout;
  #underWay = 0;
  /** When it last answered, or when the first of the calls under way began. */
  #heard: number;
  /** When a ping was sent that is still unanswered. */
  #pinged: number | undefined;
  #isLeft = false;

  /** @param left called when no more is to be sent to it, as after long idleness; told whether nobody listens at its socket */
  constructor(
    path: string,
    private readonly clock: () => number,
    private readonly left: (isGone: boolean) => void,
  ) {
    // One request at a time on a connection: none waits for the answer to another one.
    const options = { socketPath: path, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
    this.#pool = new Pool(SOCKET_ORIGIN, { ...options, connections: siblingLimits.calls.all });
    this.#pings = new Pool(SOCKET_ORIGIN, { ...options, connections: 1 });
    this.#heard = clock();
    this.#watching = setInterval(() => this.#look(), siblingLimits.silence / 4).unref();
  }

  async ask(call: RelayCall): Promise<RelayOutcome> {
    // A call does not wait for a connection.
    if (this.#underWay >= siblingLimits.calls.all) return 'unreached';
    if (this.#underWay === 0) this.#heard = this.clock();
    this.#underWay += 1;
    try {
      return await this.#send(call);
    } finally {
      this.#underWay -= 1;
      if (this.#isLeft && this.#underWay === 0) await this.close();
    }
  }

  /** Ends all calls. */
  async close(): Promise<void> {
    this.#leave(false);
    clearInterval(this.#watching);
    await Promise.all([this.#pool.destroy(), this.#pings.destroy()]);
  }

  #leave(isGone: boolean): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.left(isGone);
  }

  #send({ head, body, granted, whenGone }: RelayCall): Promise<RelayOutcome> {
    return new Promise((resolve) => {
      let sending: Dispatcher.DispatchController | undefined;
      let isGone = false;
      let status = 0;
      let told: unknown;
      const chunks: Buffer[] = [];
      const stay = whenGone(() => {
        isGone = true;
        sending?.abort(CALLER_GONE);
      });
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(controller) {
          sending = controller;
          if (isGone) controller.abort(CALLER_GONE);
        },
        onResponseStart: (_, statusCode, headers) => {
          this.#noteHeard();
          status = statusCode;
          told = headers[HEAD_HEADER];
          if (statusCode === GRANTED) granted();
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd() {
          stay();
          resolve(relayOutcomeOf(status, told, chunks));
        },
        onResponseError: (_, error) => {
          stay();
          if (!sending && isAbsence(error)) this.#leave(true);
          resolve(sending ? 'unknown' : 'unreached');
        },
      };
      const headers = { [HEAD_HEADER]: JSON.stringify(head) };
      this.#pool.dispatch({ path: '/', method: 'POST', headers, body: body ?? null }, handler);
    });
  }

  /** Looks for silence, once what has arrived is read: this process may have stalled itself. */
  #look(): void {
    setImmediate(() => {
      const { silence } = siblingLimits;
      const now = this.clock();
      const silent = now - this.#heard;
      if (this.#underWay === 0 && silent > silence) void this.close();
      // A process that answers no ping has stalled. Closing ends the calls that wait for it.
      else if (this.#pinged !== undefined && now - this.#pinged >= (silence * 3) / 4) void this.close();
      else if (this.#pinged === undefined && this.#underWay > 0 && silent >= silence / 4) this.#ping(now);
    });
  }

  #ping(now: number): void {
    this.#pinged = now;
    this.#pings.request({ path: '/', method: 'HEAD' }).then(
      () => this.#noteHeard(),
      () => {},
    );
  }

  #noteHeard(): void {
    this.#heard = this.clock();
    this.#pinged = undefined;
  }
}

/** Whether nobody listens there. A process that is busy, or this one without descriptors, is there all the same. */
function isAbsence(error: Error & { readonly code?: string }): boolean {
  return error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
}

function relayOutcomeOf(status: number, told: unknown, chunks: readonly Buffer[]): RelayOutcome {
  if (status === MISDIRECTED) return 'misdirected';
  if (status === OUT_OF_MEMORY) return 'unreached';
  try {
    const head = readJson(String(told)) as unknown as AnswerHead;
    return { status, ...head, ...(chunks.length > 0 ? { body: Buffer.concat(chunks).toString() } : {}) };
  } catch {
    return 'unknown';
  }
}
