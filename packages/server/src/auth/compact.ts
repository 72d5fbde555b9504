import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject, LedgerError, parseJson } from '@countersign/protocol';
import { jsonLimits } from '../base/json-limits.js';
import { repeatsMember } from './repeated-members.js';

/** A token in its three parts, parsed but still unverified. */
export interface Compact {
  /** As it was sent. */
  readonly token: string;
  readonly algorithm: string;
  /** The name of the key; never empty. */
  readonly kid: string;
  readonly claims: JsonObject;
  /** The bytes the signature is over. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Parses a token in compact form, `header.claims.signature` (RFC 7515 §7.1). Returns undefined unless all parsers would
 * agree on it: strict base64url and UTF-8, unique member names, no prototype keys. A token with `crit` is refused, as
 * this service implements no extension.
 */
export function parseCompact(token: string): Compact | undefined {
  const [header, claims, signature, ...rest] = token.split('.', 4);
  if (header === undefined || claims === undefined || signature === undefined || rest.length > 0) return undefined;
  const read = { header: parsePart(header), claims: parsePart(claims), signature: decodeBase64Url(signature) };
  if (read.header === undefined || read.claims === undefined || read.signature === undefined) return undefined;
  const { alg, kid, crit } = read.header;
  if (typeof alg !== 'string' || typeof kid !== 'string' || kid === '' || crit !== undefined) return undefined;
  return {
    token,
    algorithm: alg,
    kid,
    claims: read.claims,
    signed: Buffer.from(`${header}.${claims}`),
    signature: read.signature,
  };
}

function parsePart(part: string): JsonObject | undefined {
  const bytes = decodeBase64Url(part);
  if (bytes === undefined || !isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  try {
    const value = parseJson(text, jsonLimits);
    return isObject(value) && !repeatsMember(text) ? value : undefined;
  } catch (error) {
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}

/** The bytes of base64url without padding; undefined unless they encode to exactly this text. */
function decodeBase64Url(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}
