import { randomBytes } from 'node:crypto';
import { encodeBase64, hash, portable, readJson, signProof } from '@countersign/protocol';
import { expect, Surprise } from './surprise.mjs';

/** Milliseconds to wait for an answer. */
const PATIENCE = 15_000;

/** A new Ed25519 key pair: a 32-byte secret, and the public key in base64. */
export function newKey() {
  const secret = randomBytes(32);
  return { secret, public: encodeBase64(portable.publicKey(secret)) };
}

/**
 * A proof of the key over a hash.
 *
 * @param meant the ledger and the kind of record it is for, `{ ledger, record }`: signed with it, so that nobody can send
 *   it anywhere else
 * @param custom what else is signed with it
 */
export function proofOver(signedHash, key, meant, custom) {
  return signProof({ hash: signedHash, custom: { moment: new Date().toISOString(), ...meant, ...custom }, ...key });
}

/** The body of a signed write: the data, its hash, and a proof of each key over the hash, for what it is meant for. */
export function signedBy(keys, data, meant, custom = {}, luid = undefined) {
  const signedHash = hash(data);
  const proofs = keys.map((key) => proofOver(signedHash, key, meant, custom));
  return { hash: signedHash, ...(luid === undefined ? {} : { luid }), data, meta: { proofs } };
}

/** Speaks HTTP with one server. */
export class Client {
  #url;
  /** The handle of the ledger that requests are for. */
  ledger;

  constructor(url) {
    this.#url = url;
  }

  /**
   * Sends a request.
   *
   * @param status the one the answer must have
   * @returns the parsed body; undefined when there is none
   * @throws Surprise when there is no answer, or one with another status
   */
  async call(status, method, path, body = undefined) {
    const response = await this.#send(method, path, body);
    const text = await response.text();
    expect(
      response.status === status,
      `${method} ${path} was answered ${response.status} instead of ${status}:\n${text}`,
    );
    return text === '' ? undefined : parsed(text);
  }

  async #send(method, path, body) {
    const headers = {
      ...(this.ledger === undefined ? {} : { 'x-ledger': this.ledger }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const signal = AbortSignal.timeout(PATIENCE);
      return await fetch(this.#url + path, { method, headers, ...content, signal });
    } catch (error) {
      throw new Surprise(
        `No server answers at ${this.#url} (${error.cause?.code ?? error.name}).\n` +
          'Start one with `npm start` in another terminal, or name the address of one that runs:\n' +
          'npm run tour -- http://127.0.0.1:3000/v2',
      );
    }
  }
}

function parsed(text) {
  try {
    return readJson(text);
  } catch {
    throw new Surprise(`The answer is not JSON:\n${text.slice(0, 200)}`);
  }
}
