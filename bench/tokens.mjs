import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { encodeBase64, readJson } from '@countersign/protocol';
import { request } from './request.mjs';

/** Seconds an issued token lives. */
const LIFE = 600;

/** A client of a ledger's token endpoint. */
export class Tokens {
  #ledger;
  #provider = generateKeyPairSync('rsa', { modulusLength: 2048 });
  #request;

  /** @param ledger handle of the ledger */
  constructor(ledger) {
    this.#ledger = ledger;
  }

  /**
   * Makes the ledger, a provider that signs tokens, and a client with credentials.
   *
   * @param founder of the ledger, which is not made yet
   * @param key public key of the provider and the client: neither signs records
   */
  async found(founder, key) {
    await founder.found();
    const signer = { format: 'ed25519-raw', public: key.public };
    await founder.create('/signers', { handle: 'provider', ...signer });
    await founder.create('/signers', { handle: 'client', ...signer });
    const { publicKey, privateKey } = this.#provider;
    const factor = {
      handle: 'provider-rsa',
      signer: 'provider',
      schema: 'key-pair',
      format: 'rsa-der',
      public: encodeBase64(publicKey.export({ format: 'der', type: 'spki' })),
      secret: '{{ secret.private }}',
    };
    await founder.create('/signers/provider/factors', factor, {
      private: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    });
    const value = { schema: 'oauth2', signer: { handle: 'provider' }, config: { 'jwt.ttl': LIFE } };
    await founder.create('/policies', {
      handle: 'oauth',
      schema: 'authentication',
      record: 'any',
      values: [value],
    });
    const credentials = { handle: 'client-oauth', signer: 'client', schema: 'oauth-client-credentials' };
    const { data, meta } = await founder.create('/signers/client/factors?include=meta.secret', credentials);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: data.clientId,
      client_secret: meta.secret.clientSecret,
    });
    this.#request = request('POST', '/oauth/token', {
      ledger: this.#ledger,
      type: 'application/x-www-form-urlencoded',
      text: form.toString(),
    });
  }

  /** A request for a token; always the same. */
  mint() {
    return this.#request;
  }

  /**
   * Checks an answer in full.
   *
   * @throws AssertionError when it is not the client's token, signed by the provider
   */
  check({ body }) {
    const answer = readJson(body);
    assert.equal(answer.expires_in, LIFE);
    const [header, claims, signature] = answer.access_token.split('.');
    const { iss, sub, iat, exp } = readJson(Buffer.from(claims, 'base64url').toString());
    assert.deepEqual([iss, sub, exp - iat], ['provider', 'client', LIFE]);
    const signed = Buffer.from(`${header}.${claims}`);
    const { publicKey } = this.#provider;
    assert.ok(verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url')), 'a token does not verify');
  }
}
