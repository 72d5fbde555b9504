import { encodeBase64, isObject, readJson } from '@countersign/protocol';
import { collectText } from './bounded-text.js';
import { utf8 } from './cryptography.js';
import type { Environment } from './environment.js';
import { AnswerError, TokenError } from './errors.js';
import type { ClientCredentials, SelfSigned, TokenRequest, TokenSource } from './token-source.js';

/** Seconds before its end at which a token is no longer used. */
const EXPIRY_MARGIN = 30;

/** Gives each request its token, and keeps one until shortly before its end. */
export class Tokens {
  readonly #environment: Environment;
  readonly #source: TokenSource | false;
  #kept: { readonly token: Promise<string>; readonly until: () => number } | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#source = environment.options.token ?? (environment.options.signer ? {} : false);
  }

  /** The token for a request; undefined for none. */
  async of(request: TokenRequest, isWrite: boolean): Promise<string | undefined> {
    const source = this.#source;
    if (source === false) return undefined;
    if (typeof source === 'function') return source(request);
    const isCredentials = 'clientId' in source;
    if (isWrite && !(source.onWrites ?? isCredentials)) return undefined;
    if (!isCredentials && source.isBound) return this.#selfSigned(source, request);
    const now = this.#environment.now() / 1000;
    if (this.#kept === undefined || this.#kept.until() - EXPIRY_MARGIN <= now) {
      let until = Number.POSITIVE_INFINITY;
      const token = isCredentials
        ? this.#exchange(source).then(({ token, lifetime }) => {
            until = now + lifetime;
            return token;
          })
        : this.#selfSigned(source);
      if (!isCredentials) until = now + (source.lifetime ?? 300);
      const kept = { token, until: () => until };
      this.#kept = kept;
      token.catch(() => this.forget(kept));
    }
    return this.#kept.token;
  }

  /** Makes the next request get a new token, where one was kept; says so. */
  forget(kept = this.#kept): boolean {
    const isKept = kept !== undefined && this.#kept === kept;
    if (isKept) this.#kept = undefined;
    return isKept;
  }

  async #selfSigned(source: SelfSigned, request?: TokenRequest): Promise<string> {
    const { options } = this.#environment;
    const signer = await options.signer;
    if (signer === undefined) throw new Error('A self-signed token needs a signer');
    const { kid = signer.public, iss = signer.public, sub, aud = options.ledger ?? options.server } = source;
    const iat = Math.floor(this.#environment.now() / 1000);
    const claims = {
      iss,
      sub,
      aud,
      iat,
      exp: iat + (source.lifetime ?? 300),
      ...(request ? { hsh: await this.#environment.cryptography.hash(boundBy(request)) } : {}),
    };
    const text = [{ alg: 'EdDSA', kid }, claims].map((part) => encodeBase64Url(utf8(JSON.stringify(part)))).join('.');
    return `${text}.${encodeBase64Url(await signer.sign(utf8(text)))}`;
  }

  async #exchange({ clientId, clientSecret }: ClientCredentials): Promise<{ token: string; lifetime: number }> {
    const { fetch, options } = this.#environment;
    const response = await fetch(`${options.server}/oauth/token`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(options.ledger === undefined ? {} : { 'x-ledger': options.ledger }),
      },
      body: `${new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })}`,
      redirect: 'error',
      credentials: 'omit',
      signal: AbortSignal.timeout(this.#environment.timeout),
    });
    const answer = parseMembers(await collectText(response, options.maxBytes));
    if (!response.ok) {
      throw new TokenError(String(answer.error), String(answer.error_description ?? ''), response.status);
    }
    const { access_token: token, expires_in: lifetime } = answer;
    if (typeof token !== 'string' || typeof lifetime !== 'number') throw new AnswerError('form', 'There is no token');
    return { token, lifetime };
  }
}

/** The members of an answer; none of what is no object. */
function parseMembers(text: string): Record<string, unknown> {
  try {
    const value: unknown = readJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** What a token is bound to (interface/tokens#request-hash). */
function boundBy({ method, url, body }: TokenRequest): object {
  return { method, url, headers: null, body: body === undefined ? null : readJson(body) };
}

/** Base64 for tokens, without padding (RFC 4648 §5). */
function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}
