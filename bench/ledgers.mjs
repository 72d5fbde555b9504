import { hash as hashOf, signProof } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { request } from './request.mjs';

/** New ledgers, each under a handle of its own. */
export class Ledgers {
  #made = 0;
  #key;

  /** @param key signs everything: `{ public, secret }` */
  constructor(key) {
    this.#key = key;
  }

  /** A request that makes the next ledger. */
  ledger() {
    this.#made += 1;
    const data = { handle: `born-${this.#made}`, signer: 'system', access: [{ action: 'any', record: 'any' }] };
    const hash = hashOf(data, native);
    const custom = { moment: new Date().toISOString(), status: 'created' };
    const body = { hash, data, meta: { proofs: [signProof({ hash, custom, ...this.#key }, native)] } };
    return request('POST', '/ledgers', { text: JSON.stringify(body) });
  }
}
