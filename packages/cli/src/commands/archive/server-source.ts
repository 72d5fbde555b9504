import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { Failure } from '../../terminal/failure.js';
import type { ServerConnection } from '../../wire/connection.js';

/** Refusals of one reading after which nothing is asked for in smaller parts any more: a liar could refuse for ever. */
const MOST_REFUSED = 1000;

/** What a server that runs does not answer, as it does with a version that was altered in its database. */
export class ServerRefusal {
  /** Completes a sentence. */
  readonly why: string;

  constructor({ message, more }: Failure) {
    this.why = `is refused by the server: ${message}${more.reason === undefined ? '' : ` (${more.reason})`}`;
  }
}

/** What a server answers, refusals among it. */
export class ServerSource {
  #refused = 0;

  constructor(private readonly connection: ServerConnection) {}

  /** Refusals so far. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether what is refused is worth to be asked for in smaller parts. */
  get hasPatience(): boolean {
    return this.#refused < MOST_REFUSED;
  }

  /** @throws Failure for a refusal of the request itself, and when the server does not answer for its ledger any more */
  async get(path: string): Promise<JsonObject | ServerRefusal> {
    try {
      return await this.connection.get<JsonObject>(path);
    } catch (error) {
      if (!isOfServer(error)) throw error;
      this.#refused += 1;
      await this.#assertRuns(error);
      return new ServerRefusal(error);
    }
  }

  /** The items of a page. @throws Failure as `get` does */
  async page(path: string, limit: number, index: number): Promise<readonly Json[] | ServerRefusal> {
    const answer = await this.get(`${path}?page.limit=${limit}&page.index=${index}`);
    if (answer instanceof ServerRefusal) return answer;
    if (Array.isArray(answer.data)) return answer.data;
    throw new Failure('unreachable', `${path} is answered with something other than a list.`);
  }

  /** One version of a history; undefined where the server has none. @throws Failure as `get` does */
  async change(path: string, number: number): Promise<JsonObject | ServerRefusal | undefined> {
    try {
      return await this.get(`${path}/changes/${number}`);
    } catch (error) {
      if (!(error instanceof Failure) || error.more.reason !== 'record.not-found') throw error;
      this.#refused += 1;
      return undefined;
    }
  }

  async #assertRuns(refused: Failure): Promise<void> {
    const ledger = await this.connection.get('/ledger').catch(() => undefined);
    if (!isObject(ledger)) throw refused;
  }
}

/** Whether the server has failed, rather than found the request wrong. */
function isOfServer(error: unknown): error is Failure {
  return error instanceof Failure && (error.more.status ?? 0) >= 500;
}
