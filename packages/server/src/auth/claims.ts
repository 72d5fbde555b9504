import type { Json, JsonObject } from '@countersign/protocol';

/** Milliseconds that `iat` may be ahead of this server's clock. */
const LEEWAY = 60_000;

/** Longest life, in seconds, of a token with `jti`: its use is remembered that long. */
const SINGLE_USE_LIFE = 300;

/** The maker of a token: its bearer, or a provider that others rely on. */
export type Maker = 'bearer' | 'provider';

/** The fault of claims, in a word for the log. */
export type ClaimFault =
  | 'claims-malformed'
  | 'expired'
  | 'from-the-future'
  | 'not-valid-yet'
  | 'life-too-long'
  | 'single-use-too-long';

/** The claims that verification goes on with. */
export interface Claims {
  readonly iss: string;
  /** Whom it is for: one or more. */
  readonly audiences: readonly string[];
  /** Milliseconds. */
  readonly expiresAt: number;
  /** Absent when the token may be used any number of times. */
  readonly jti?: string;
  /** Absent when the token is valid for any request. */
  readonly hsh?: string;
}

/**
 * Checks the claims of a token at `now` (milliseconds; interface/tokens#claims): `iss` and `aud` not empty, `iat` and
 * `exp` positive and in order, `exp` in the future, `iat` at most `LEEWAY` ahead, `nbf` in the past, `sub`, `jti` and
 * `hsh` text where present. Empty `jti` and `hsh` count as absent. A bearer's own token lives `longest` seconds at most.
 * Returns a fault where a rule is broken.
 *
 * Providers follow RFC 7519 more freely: `aud` may be a list (§4.1.3), and their tokens are reusable, so `jti` means
 * single use in a bearer's own tokens only.
 */
export function parseClaims(claims: JsonObject, now: number, maker: Maker, longest: number): Claims | ClaimFault {
  const { iss, aud, iat, exp, nbf, sub, jti, hsh } = claims;
  if (!isTextClaim(iss) || !(isTextClaim(aud) || (maker === 'provider' && isTextList(aud)))) return 'claims-malformed';
  if (!isMomentClaim(iat) || !isMomentClaim(exp) || exp < iat) return 'claims-malformed';
  if (exp * 1000 <= now) return 'expired';
  if (iat * 1000 > now + LEEWAY) return 'from-the-future';
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 <= now)) return 'not-valid-yet';
  if (!isOptionalText(sub) || !isOptionalText(jti) || !isOptionalText(hsh)) return 'claims-malformed';
  const audiences = isTextClaim(aud) ? [aud] : (aud as readonly string[]);
  const read: Claims = { iss, audiences, expiresAt: exp * 1000, ...(hsh && { hsh }) };
  if (maker === 'provider') return read;
  if (jti && exp - iat > SINGLE_USE_LIFE) return 'single-use-too-long';
  if (exp - iat > longest) return 'life-too-long';
  return jti ? { ...read, jti } : read;
}

function isTextClaim(claim: Json | undefined): claim is string {
  return typeof claim === 'string' && claim !== '';
}

function isTextList(claim: Json | undefined): boolean {
  return Array.isArray(claim) && claim.length > 0 && claim.every(isTextClaim);
}

function isOptionalText(claim: Json | undefined): claim is string | undefined {
  return claim === undefined || typeof claim === 'string';
}

/** Seconds since 1970; fractions are allowed. */
function isMomentClaim(claim: Json | undefined): claim is number {
  return typeof claim === 'number' && claim > 0;
}
