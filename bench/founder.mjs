import { hash as hashOf, readJson, signProof } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';

/** Sets up one ledger before anything is measured, as its founder: signs what it sends, and awaits each answer. */
export class Founder {
  #url;
  #ledger;
  #key;
  #record;

  /**
   * @param port of the server
   * @param ledger handle of the ledger
   * @param key signs everything: `{ public, secret }`
   */
  constructor(port, ledger, key) {
    this.#url = `http://127.0.0.1:${port}/v2`;
    this.#ledger = ledger;
    this.#key = key;
  }

  /** Makes the ledger, open to everyone unless rules are given. */
  async found(access = [{ action: 'any', record: 'any' }]) {
    const data = { handle: this.#ledger, signer: 'system', access };
    this.#record = await this.create('/ledgers', data);
  }

  /** Changes the configuration of the ledger; until now it had none. */
  async configure(config) {
    const { data, hash: parent, luid } = this.#record;
    this.#record = await this.#send('PUT', '/ledger', { luid, ...this.#signed({ ...data, config, parent }, {}) });
  }

  /**
   * @param secret values of the secrets that `data` names
   * @returns the record
   */
  create(path, data, secret) {
    const { meta, ...body } = this.#signed(data, { status: 'created' });
    return this.#send('POST', path, { ...body, meta: { ...meta, ...(secret && { secret }) } });
  }

  /** Creates a record and makes it active. */
  async createActive(path, data) {
    const { hash } = await this.create(path, data);
    await this.#send('POST', `${path}/${data.handle}/proofs`, this.#proof(hash, { status: 'active' }));
  }

  #signed(data, custom) {
    const hash = hashOf(data, native);
    return { hash, data, meta: { proofs: [this.#proof(hash, custom)] } };
  }

  #proof(hash, custom) {
    return signProof({ hash, custom: { moment: new Date().toISOString(), ...custom }, ...this.#key }, native);
  }

  /** @throws Error when the answer is a refusal */
  async #send(method, path, body) {
    const answer = await fetch(this.#url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(path === '/ledgers' ? {} : { 'x-ledger': this.#ledger }) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} of ledger ${this.#ledger} was answered ${text}`);
    return readJson(text);
  }
}
