import { decodeBase64, isLuid, type JsonObject, LedgerError } from '@countersign/protocol';
import { isHandle } from '../base/handle.js';
import { LruCache } from '../base/lru-cache.js';
import { tokenLifetime } from '../base/token-lifetime.js';
import type { Replays } from '../store/queries/replays.js';
import { type ClaimFault, type Claims, type Maker, parseClaims } from './claims.js';
import { type Compact, parseCompact } from './compact.js';
import { native } from './native-suite.js';
import { type BoundRequest, bindsRequest } from './request-hash.js';
import { isRs256SignedBy } from './rs256.js';
import { rsaKey } from './rsa-key.js';
import { tokenLimits } from './token-limits.js';

/**
 * Where the keys of one ledger are looked up. Each algorithm has a method of its own, so a key serves one algorithm
 * only.
 */
export interface KeySource {
  /** Luid of the ledger, by which used tokens are remembered; empty outside ledgers. */
  readonly ledger: string;
  /** The audiences that the ledger takes; undefined where it takes any (interface/tokens#audience). */
  readonly audiences?: readonly string[] | undefined;
  /**
   * The base64 Ed25519 public key of the signer record with this handle; undefined for one that is missing or out of
   * use.
   */
  signerKey(handle: string): Promise<string | undefined>;
  /**
   * The key-pair factor with this handle: base64 SPKI DER and the handle of its signer. Undefined unless factor and
   * provider are trusted (interface/tokens#provider-tokens). `issuer` is the claim `iss`, `subject` the claim `sub`.
   */
  factor(
    handle: string,
    issuer: string,
    subject: unknown,
  ): Promise<{ readonly public: string; readonly signer: string } | undefined>;
}

/** A verified token. */
export interface Token {
  /** As the origin of an impersonation proof says it (interface/tokens#impersonation). */
  readonly kind: 'self-signed-token' | 'oauth2-token';
  /** Base64 Ed25519 public key that signed; of self-signed tokens only. */
  readonly key?: string;
  readonly claims: JsonObject;
  /** Handle of the factor whose key signed; of RS256 tokens only. */
  readonly factor?: string;
}

const BEARER_HEADER = /^Bearer +([^ ]+)$/i;

/** Characters of the base64 of 32 bytes. */
const KEY_TEXT = 44;

/**
 * Verifies the token of a request (interface/tokens#refused-tokens): its form, claims, signature, the request it is
 * bound to and, last so that only a valid request uses it up, its single use. `authorization` is the header as sent,
 * `clock` returns milliseconds, `longest` is the longest life of a self-signed token in seconds.
 *
 * @throws LedgerError `auth.unauthorized` `Invalid token.` for every fault of the token. Errors of the key source and
 *   of `replays` are passed on
 */
export async function verifyToken(
  authorization: string,
  request: BoundRequest,
  keys: KeySource,
  clock: () => number,
  replays: Replays,
  longest: number = tokenLifetime.selfSigned,
): Promise<Token> {
  const token = BEARER_HEADER.exec(authorization)?.[1];
  if (token === undefined) throw invalidToken('no-bearer');
  if (token.length > tokenLimits.bytes) throw invalidToken('too-long');
  const compact = verifiedTokens.get(token)?.compact ?? parseCompact(token);
  switch (compact?.algorithm) {
    case 'EdDSA':
      return verifySelfSigned(compact, request, keys, { now: clock(), longest }, replays);
    case 'RS256':
      return verifyProvided(compact, request, keys, clock());
    case undefined:
      throw invalidToken('malformed');
    default:
      throw invalidToken('algorithm-unknown');
  }
}

/** Whether a request with this token may use it up: read, not verified. */
export function mayBeUsedUp(authorization: string): boolean {
  const token = BEARER_HEADER.exec(authorization)?.[1];
  if (token === undefined || token.length > tokenLimits.bytes) return false;
  return parseCompact(token)?.claims.jti !== undefined;
}

/**
 * Verifies a token that its bearer signed (interface/tokens#self-signed-tokens). With a key as `kid`, the signer needs
 * no record.
 */
async function verifySelfSigned(
  compact: Compact,
  request: BoundRequest,
  keys: KeySource,
  { now, longest }: { readonly now: number; readonly longest: number },
  replays: Replays,
): Promise<Token> {
  const claims = checkClaims(compact, now, 'bearer', longest);
  checkAudience(claims, keys);
  const { kid } = compact;
  const key =
    keyBytes(kid) !== undefined ? kid : valid('signer-unknown', isHandle(kid) ? await keys.signerKey(kid) : undefined);
  assertSignedBy(compact, key);
  checkRequest(claims, request);
  if (claims.jti !== undefined) {
    // Per key, so that a signer cannot use up the `jti` of another. Hashed, because it may be long.
    const use = native.sha256(`${key}\n${claims.jti}`);
    if (!(await replays.use(keys.ledger, use, claims.expiresAt))) throw invalidToken('used-already');
  }
  return { kind: 'self-signed-token', key, claims: compact.claims };
}

/** A token whose signature was verified, and the key that made it. */
interface VerifiedToken {
  readonly compact: Compact;
  readonly key: string;
}

/**
 * Tokens by their text: clients send one token many times. Only what never changes is cached: the parsed content, and
 * the key that signed it.
 */
const verifiedTokens = new LruCache<string, VerifiedToken>(
  tokenLimits.verified,
  ({ compact }) => 3 * compact.token.length + TOKEN_ENTRY,
);

/** Approximate bytes of an entry beside the text, signed part and claims of its token. */
const TOKEN_ENTRY = 500;

/** Copies the bytes: small buffers are slices of a large pool, which each of them would keep in memory. */
function copyCompact(compact: Compact): Compact {
  return { ...compact, signed: new Uint8Array(compact.signed), signature: new Uint8Array(compact.signature) };
}

/** @throws `auth.unauthorized` unless the key, in base64, signed the token */
function assertSignedBy(compact: Compact, key: string): void {
  if (verifiedTokens.get(compact.token)?.key === key) return;
  const bytes = valid('key-malformed', keyBytes(key));
  if (!native.verify(compact.signature, compact.signed, bytes)) throw invalidToken('badly-signed');
  verifiedTokens.set(compact.token, { compact: copyCompact(compact), key });
}

/**
 * Verifies a token of the ledger's token endpoint or of an outside identity provider
 * (interface/tokens#provider-tokens).
 */
async function verifyProvided(compact: Compact, request: BoundRequest, keys: KeySource, now: number): Promise<Token> {
  const claims = checkClaims(compact, now, 'provider', tokenLifetime.greatest);
  checkAudience(claims, keys);
  const factor = valid(
    'factor-untrusted',
    isHandle(compact.kid) && isHandle(claims.iss)
      ? await keys.factor(compact.kid, claims.iss, compact.claims.sub)
      : undefined,
  );
  if (claims.iss !== factor.signer) throw invalidToken('issuer-wrong');
  const { key } = valid('key-malformed', rsaKey(factor.public));
  if (!isRs256SignedBy(key, compact.signed, compact.signature)) throw invalidToken('badly-signed');
  checkRequest(claims, request);
  return { kind: 'oauth2-token', claims: compact.claims, factor: compact.kid };
}

/**
 * Whether the token is for this ledger (interface/tokens#audience). Handles of other ledgers are not compared: whoever founds a
 * ledger chooses its handle, and would make the tokens of others invalid by it.
 */
function checkAudience({ audiences }: Claims, { ledger, audiences: taken }: KeySource): void {
  if (taken && !audiences.some((audience) => taken.includes(audience))) throw invalidToken('for-another-audience');
  const named = audiences.filter((audience) => isLuid(audience, 'ldg'));
  if (named.length > 0 && !named.includes(ledger)) throw invalidToken('for-another-ledger');
}

function checkRequest(claims: Claims, request: BoundRequest): void {
  if (claims.hsh !== undefined && !bindsRequest(claims.hsh, request)) throw invalidToken('bound-to-another-request');
}

/** The 32 bytes of a raw key in strict base64; undefined for any other text. */
function keyBytes(text: string): Uint8Array | undefined {
  const bytes = text.length === KEY_TEXT ? decodeBase64(text) : undefined;
  return bytes?.length === 32 ? bytes : undefined;
}

function checkClaims(compact: Compact, now: number, maker: Maker, longest: number): Claims {
  const claims = parseClaims(compact.claims, now, maker, longest);
  if (typeof claims === 'string') throw invalidToken(claims);
  return claims;
}

/** Returns `value`, or refuses the token when it is undefined. */
function valid<T>(why: TokenFault, value: T | undefined): T {
  if (value === undefined) throw invalidToken(why);
  return value;
}

/** Why a token is refused, in a word for the log. */
export type TokenFault =
  | ClaimFault
  | 'no-bearer'
  | 'too-long'
  | 'malformed'
  | 'algorithm-unknown'
  | 'signer-unknown'
  | 'factor-untrusted'
  | 'issuer-wrong'
  | 'key-malformed'
  | 'badly-signed'
  | 'bound-to-another-request'
  | 'used-already'
  | 'for-another-audience'
  | 'for-another-ledger'
  | 'key-of-the-ledger';

/** Cause of the refusal of a token: for the log, never for the client. */
export class TokenRefused extends Error {
  constructor(readonly why: TokenFault) {
    super(why);
  }
}

/** What the bearer of a token can see in it, beside the clock. Whether a key or signer is known is never told. */
const TOKEN_HINTS: Partial<Record<TokenFault, string>> = {
  expired: "`exp` is in the past, by this server's clock: meta.moment of this answer tells it.",
  'from-the-future': "`iat` is more than 60 seconds ahead of this server's clock: meta.moment of this answer tells it.",
  'not-valid-yet': "`nbf` is in the future, by this server's clock: meta.moment of this answer tells it.",
  'life-too-long': 'A self-signed token lives a day at most, unless `TOKEN_MAX_LIFE` of the server says otherwise.',
  'for-another-audience': '`aud` is not among those that `config["token.audiences"]` of the ledger names.',
  'for-another-ledger': '`aud` is the luid of another ledger.',
  'single-use-too-long': 'A token with `jti` lives 300 seconds at most.',
  'bound-to-another-request':
    '`hsh` is the hash of another request: method, public URL with query, named headers and body count.',
  'used-already': 'The token has `jti`, and was used already.',
};

/** The same error for every bad token, but for its hint (interface/tokens#refused-tokens); its cause is for the log. */
export function invalidToken(why: TokenFault): LedgerError {
  const hint = TOKEN_HINTS[why];
  const error = new LedgerError('auth.unauthorized', 'Invalid token.', hint === undefined ? undefined : { hint });
  return Object.assign(error, { cause: new TokenRefused(why) });
}
