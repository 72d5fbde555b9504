import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeBase64, hash as hashOf, readJson, signProof } from '@countersign/protocol';
import { native } from '../../packages/server/dist/auth/native-suite.js';

/** Milliseconds between two tries of a request that got no answer. */
const PAUSE = 100;

/** A ledger that is written to and read, whatever becomes of its server meanwhile: a body is sent again until it is answered. */
export class Ledger {
  #url;
  #handle;
  #key;

  /** @param url base URL with `/v2` */
  constructor(url, handle) {
    const secret = randomBytes(32);
    this.#url = url;
    this.#handle = handle;
    this.#key = { secret, public: encodeBase64(native.publicKey(secret)) };
  }

  /** Makes the ledger, open to everyone. */
  found() {
    return this.create('/ledgers', {
      handle: this.#handle,
      signer: 'system',
      access: [{ action: 'any', record: 'any' }],
    });
  }

  create(path, data) {
    return this.#send('POST', path, this.#signed(data, { status: 'created' }));
  }

  /** Has everything of an effect sent again that was given up. */
  retry(effect) {
    return this.#send('POST', `/effects/${effect}/events/retry`, this.#signed({ maxAge: 0 }, {}));
  }

  #signed(data, custom) {
    const hash = hashOf(data, native);
    const said = { moment: new Date().toISOString(), ...custom };
    return JSON.stringify({ hash, data, meta: { proofs: [signProof({ hash, custom: said, ...this.#key }, native)] } });
  }

  read(path) {
    return this.#send('GET', path);
  }

  async #send(method, path, body) {
    const headers = {
      'content-type': 'application/json',
      ...(path === '/ledgers' ? {} : { 'x-ledger': this.#handle }),
    };
    for (;;) {
      const answer = await fetch(this.#url + path, { method, headers, ...(body ? { body } : {}) }).catch(
        () => undefined,
      );
      if (answer && answer.status < 500) return answered(answer, `${method} ${path}`);
      await pause(PAUSE);
    }
  }
}

async function answered(answer, request) {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${request} was answered ${answer.status}: ${text}`);
  return text === '' ? undefined : readJson(text);
}
