import { encodeBase64, portable, readJson, signProof } from '@countersign/protocol';

/** A call that is made again later: the ledger cannot be reached, or has an error of its own. */
export class Unanswered extends Error {}

/** Calls one ledger, as the holder of one key. */
export class Ledger {
  constructor(settings) {
    Object.assign(this, settings, { public: encodeBase64(portable.publicKey(settings.secret)) });
  }

  /** @throws Unanswered when the same call may have another answer later */
  async call(method, path, body) {
    const headers = { 'x-ledger': this.handle, authorization: `Bearer ${this.#token()}` };
    if (body) headers['content-type'] = 'application/json';
    const options = { redirect: 'error', signal: AbortSignal.timeout(30_000) };
    try {
      const response = await fetch(this.url + path, {
        method,
        headers,
        body: body && JSON.stringify(body),
        ...options,
      });
      if (response.status >= 500 || response.status === 408) throw new Error(`HTTP ${response.status}`);
      const answer = readJson(await response.text());
      return response.ok
        ? answer
        : { refused: response.status, detail: `${answer.data?.reason}: ${answer.data?.detail}` };
    } catch (error) {
      throw new Unanswered(`${method} ${path}: ${error.cause?.message ?? error.message}`);
    }
  }

  /** A proof over a report. It names ledger and kind, so that it says nothing anywhere else. */
  sign({ hash }, said) {
    const custom = { moment: new Date().toISOString(), ...said, ledger: this.handle, record: 'report' };
    return signProof({ hash, custom, secret: this.secret, public: this.public });
  }

  #token() {
    const iat = Math.floor(Date.now() / 1000);
    const parts = [
      { alg: 'EdDSA', kid: this.public },
      { iss: 'reporter', aud: this.handle, iat, exp: iat + 120 },
    ];
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${text}.${Buffer.from(portable.sign(Buffer.from(text), this.secret)).toString('base64url')}`;
  }
}
