import { isObject, type Json, type JsonObject, readJson } from '@countersign/protocol';
import { Failure } from '../terminal/failure.js';
import { adviceOn } from './advice.js';
import { type HttpAnswer, sendRequest } from './exchange.js';
import type { CallerIdentity } from './identity.js';

/**
 * A server as `curl` and `status` use it: what it answers is handed on as it is. Other commands use the client, which
 * verifies answers.
 */
export class ServerConnection {
  constructor(
    readonly server: URL,
    /** Handle of the ledger; undefined outside of all. */
    readonly ledger: string | undefined,
    readonly identity: CallerIdentity,
    readonly now: () => number,
  ) {}

  /** The same server and identity outside of ledgers. */
  outside(): ServerConnection {
    return new ServerConnection(this.server, undefined, this.identity, this.now);
  }

  /**
   * Reads what is at a path.
   *
   * @throws Failure when the server refuses
   */
  async get<Body extends Json = JsonObject>(path: string): Promise<Body> {
    const answer = await this.exchange('GET', path);
    if (answer.status === 200) return jsonOfAnswer(answer) as Body;
    throw failureOfAnswer(answer);
  }

  /** Sends bytes as they are, with a token, and gives whatever is answered. */
  async exchange(method: string, path: string, body?: Uint8Array): Promise<HttpAnswer> {
    const authorization = await this.identity.authorization(this.ledger);
    return sendRequest({
      method,
      server: this.server,
      path,
      headers: [
        ['accept', 'application/json'],
        ...(this.ledger === undefined ? [] : [['x-ledger', this.ledger] as const]),
        ...(authorization === undefined ? [] : [['authorization', authorization] as const]),
        ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
      ],
      body,
    });
  }
}

/** What a server says when it refuses. */
export function failureOfAnswer({ status, bytes }: HttpAnswer): Failure {
  let body: Json = null;
  try {
    body = readJson(bytes.toString()) as Json;
  } catch {
    // Told below.
  }
  const data = isObject(body) && isObject(body.data) ? body.data : undefined;
  if (data === undefined || typeof data.reason !== 'string') {
    return new Failure('unreachable', `The server answered ${status}, and not like a ledger server.`, {
      status,
      advice: 'check the address: the base URL ends in /v2',
    });
  }
  const custom = isObject(data.custom) ? data.custom : {};
  const hint =
    typeof custom.hint === 'string' ? custom.hint : adviceOn({ reason: data.reason, detail: String(data.detail) });
  return new Failure('refused', String(data.detail ?? data.reason), {
    reason: data.reason,
    status,
    advice: hint,
    errors: errorsOf(custom),
    body,
  });
}

/** The items of `custom.errors`, one line for each. */
function errorsOf({ errors }: JsonObject): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((one) => {
    if (!isObject(one)) return String(one);
    return `${one.instancePath ?? one.path ?? ''} ${one.message ?? JSON.stringify(one)}`.trim();
  });
}

function jsonOfAnswer({ bytes, status }: HttpAnswer): Json {
  try {
    return readJson(bytes.toString()) as Json;
  } catch {
    throw new Failure('unreachable', `The server answered ${status} with something other than JSON.`, {
      advice: 'check the address: the base URL ends in /v2',
    });
  }
}
