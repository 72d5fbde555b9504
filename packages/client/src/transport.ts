import { readJson } from '@countersign/protocol';
import { collectText } from './bounded-text.js';
import type { Environment } from './environment.js';
import { AnswerError, UnreachableError } from './errors.js';
import type { Tokens } from './token.js';

/** A request to the server. */
export interface TransportCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** The text of the body: each attempt sends these bytes. */
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether it is for the server, outside every ledger. */
  readonly isOutside?: boolean;
  /** Whether the body of a success is handed on unread. */
  readonly isFile?: boolean;
  /** What the answer should be; JSON unless given. */
  readonly accept?: string;
}

/** An answer with its body parsed; undefined where there is none. */
export interface ParsedAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly response: Response;
  /** When the attempt that was answered began. */
  readonly sent: number;
  /** Whether an attempt before it went unanswered: what it asked for may have been done. */
  readonly isRepeat: boolean;
  /** Milliseconds after which the server says to come again. */
  readonly ordered: number | undefined;
}

/** Statuses after which the same request is sent again: of these, what answered was not the end. */
const RETRIED_STATUSES = [408, 425, 429, 502, 503, 504];

/** Bounds of the waits between attempts, in milliseconds. */
const FIRST_WAIT = 200;
const LONGEST_RETRY_WAIT = 10_000;
const MOST_WAIT = 60_000;

/** Sends requests, again where that is safe: a signed body has one effect however often it comes (interface/proofs). */
export class Transport {
  readonly #environment: Environment;
  readonly #tokens: Tokens;

  constructor(environment: Environment, tokens: Tokens) {
    this.#environment = environment;
    this.#tokens = tokens;
  }

  /** @throws UnreachableError when no attempt is answered; what the signal of the call says, once it is aborted */
  async send(call: TransportCall): Promise<ParsedAnswer> {
    const { attempts = 5, mostWait = MOST_WAIT } = this.#environment.options;
    let hasNewToken = false;
    let isRepeat = false;
    for (let attempt = 1; ; attempt++) {
      const sent = this.#environment.now();
      const tried = await this.#attempt(call).catch((error: unknown) => {
        call.signal?.throwIfAborted();
        if (!isOfNetwork(error)) throw error;
        return error;
      });
      const ordered = tried instanceof Error ? undefined : this.#ordered(tried.response);
      const answer = tried instanceof Error ? undefined : { ...tried, sent, isRepeat, ordered };
      if (answer?.status === 401 && !hasNewToken && attempt < attempts && this.#tokens.forget()) {
        // The endpoint's key may have changed, or the token was taken back.
        hasNewToken = true;
        continue;
      }
      if (answer && !RETRIED_STATUSES.includes(answer.status)) return answer;
      if (attempt >= attempts || (ordered ?? 0) > mostWait) {
        if (answer?.body !== undefined) return answer;
        const cause = tried instanceof Error ? tried : undefined;
        const url = this.#environment.options.server + call.path;
        throw new UnreachableError(`${call.method} ${url} has no answer`, answer?.status, cause);
      }
      isRepeat = true;
      await this.#environment.sleep(this.#wait(attempt, ordered), call.signal);
    }
  }

  async #attempt(call: TransportCall): Promise<Pick<ParsedAnswer, 'status' | 'body' | 'response'>> {
    const { options, fetch, timeout } = this.#environment;
    const { method, path, body, signal, isOutside } = call;
    const url = options.server + path;
    const token = await this.#tokens.of({ method, url, body }, method !== 'GET');
    const limit = AbortSignal.timeout(timeout);
    const response = await fetch(url, {
      method,
      headers: {
        accept: call.accept ?? 'application/json',
        ...(options.ledger === undefined || isOutside ? {} : { 'x-ledger': options.ledger }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      // What was signed for this server goes nowhere else, and answers come from nowhere else.
      redirect: 'error',
      cache: 'no-store',
      credentials: 'omit',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    if (call.isFile && response.ok) return { status: response.status, body: undefined, response };
    return { status: response.status, body: await this.#read(response), response };
  }

  /** The parsed body, of which no more is read than the bound. */
  async #read(response: Response): Promise<unknown> {
    const text = await collectText(response, this.#environment.options.maxBytes);
    if (text === '') return undefined;
    try {
      return readJson(text);
    } catch (cause) {
      // Proxies answer pages of their own when they reach no server.
      if (response.status >= 500 || RETRIED_STATUSES.includes(response.status)) return undefined;
      throw new AnswerError('form', 'The answer is not JSON', cause);
    }
  }

  /** Milliseconds until the next attempt: what the server says, or ever more, by chance. */
  #wait(attempt: number, ordered = 0): number {
    const most = Math.min(LONGEST_RETRY_WAIT, FIRST_WAIT * 2 ** attempt);
    return Math.max(ordered, most * (0.5 + this.#environment.random() / 2));
  }

  /** Milliseconds after which the server says to come again; undefined where it says nothing that makes sense. */
  #ordered({ headers }: Response): number | undefined {
    const said = headers.get('retry-after');
    if (!said) return undefined;
    const milliseconds = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - this.#environment.now();
    return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
  }
}

/** `fetch` rejects with a TypeError when the network fails, and with a TimeoutError by the signal of an attempt. */
function isOfNetwork(error: unknown): error is Error {
  return error instanceof TypeError || (error as { name?: string })?.name === 'TimeoutError';
}
