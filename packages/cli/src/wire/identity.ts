import { encodeBase64, isObject, type Json, type JsonObject, portable, readJson } from '@countersign/protocol';
import type { SigningKeyPair } from '../home/encrypted-key.js';
import { Failure } from '../terminal/failure.js';
import { sendRequest } from './exchange.js';

/** Seconds that a token of the key is good for. */
const TOKEN_LIFETIME = 3600;
/** Seconds before its end from which a token is made anew: clocks differ, and requests take time. */
const TOKEN_MARGIN = 60;

/** Who makes requests: by a key, by client credentials, or by both. */
export interface CallerIdentity {
  /** Signs writes. Without it they are left to the token (interface/tokens#token-only-writes). */
  readonly key?: SigningKeyPair;
  /**
   * The value of the header `authorization`.
   *
   * @param ledger the handle or luid that the request is for
   * @throws Failure when the token endpoint refuses
   */
  authorization(ledger: string | undefined): Promise<string | undefined>;
}

/** Client credentials (interface/tokens#token-endpoint). */
export interface TokenCredentials {
  readonly id: string;
  readonly secret: string;
}

/** Nobody: writes go out unsigned, and requests without a token. */
export const ANONYMOUS: CallerIdentity = { authorization: async () => undefined };

/** Text in base64url of an object, as the parts of a token have it. */
function part(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A self-signed token (interface/tokens#self-signed-tokens). */
export function mintToken(
  key: SigningKeyPair,
  claims: { readonly name: string; readonly audience: string; readonly now: number },
): string {
  const iat = Math.floor(claims.now / 1000);
  return signToken(key, {
    iat,
    exp: iat + TOKEN_LIFETIME,
    iss: 'cli',
    aud: claims.audience,
    sub: `signer:${claims.name}`,
  });
}

/** A token with these claims. */
export function signToken(key: SigningKeyPair, claims: JsonObject): string {
  const header = part({ alg: 'EdDSA', kid: key.public });
  const payload = part(claims);
  const signature = portable.sign(Buffer.from(`${header}.${payload}`), key.secret);
  return `${header}.${payload}.${Buffer.from(encodeBase64(signature), 'base64').toString('base64url')}`;
}

/** Whoever holds a key: it signs, and its tokens are made here. One token serves until shortly before its end. */
export function identityOfKey(key: SigningKeyPair, name: string, now: () => number): CallerIdentity {
  const tokens = new Map<string, { readonly text: string; readonly end: number }>();
  return {
    key,
    authorization: async (ledger = 'countersign') => {
      const kept = tokens.get(ledger);
      if (kept !== undefined && now() < kept.end) return `Bearer ${kept.text}`;
      const text = mintToken(key, { name, audience: ledger, now: now() });
      // Callers name the ledgers: what they make up must not pile up.
      if (tokens.size > 100) tokens.clear();
      tokens.set(ledger, { text, end: now() + (TOKEN_LIFETIME - TOKEN_MARGIN) * 1000 });
      return `Bearer ${text}`;
    },
  };
}

/** Whoever has client credentials: the ledger's token endpoint gives the tokens. A key may sign beside them. */
export function identityOfClient(
  server: URL,
  credentials: TokenCredentials,
  now: () => number,
  key?: SigningKeyPair,
): CallerIdentity {
  const tokens = new Map<string, { readonly given: ReturnType<typeof requestToken>; end: number }>();
  return {
    key,
    authorization: async (ledger) => {
      if (ledger === undefined) return undefined;
      const kept = tokens.get(ledger);
      if (kept !== undefined && now() < kept.end) return `Bearer ${(await kept.given).text}`;
      if (tokens.size > 100) tokens.clear();
      // Requests that arrive meanwhile wait for the same token.
      const entry = { given: requestToken(server, ledger, credentials), end: Number.POSITIVE_INFINITY };
      tokens.set(ledger, entry);
      try {
        const { text, seconds } = await entry.given;
        entry.end = now() + Math.max(0, seconds - TOKEN_MARGIN) * 1000;
        return `Bearer ${text}`;
      } catch (error) {
        tokens.delete(ledger);
        throw error;
      }
    },
  };
}

/**
 * A token for client credentials.
 *
 * @throws Failure when they are refused
 */
export async function requestToken(
  server: URL,
  ledger: string,
  { id, secret }: TokenCredentials,
): Promise<{ readonly text: string; readonly seconds: number; readonly body: Json }> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const { status, bytes } = await sendRequest({
    method: 'POST',
    server,
    path: '/oauth/token',
    headers: [
      ['x-ledger', ledger],
      ['content-type', 'application/x-www-form-urlencoded'],
    ],
    body: Buffer.from(form.toString()),
  });
  let body: Json = null;
  try {
    body = readJson(bytes.toString()) as Json;
  } catch {
    // Told below.
  }
  if (status === 200 && isObject(body) && typeof body.access_token === 'string') {
    return { text: body.access_token, seconds: Number(body.expires_in ?? 0), body };
  }
  const error = isObject(body) ? body : {};
  throw new Failure('refused', String(error.error_description ?? `The token endpoint answered ${status}.`), {
    ...(typeof error.error === 'string' ? { reason: error.error } : {}),
    advice: 'check the client id and the secret, and that they are of this ledger',
    body,
  });
}
