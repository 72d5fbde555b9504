import { isUtf8 } from 'node:buffer';

/** The id that a client claims and the secret that proves it. Both are as sent, of any length and content. */
export interface ClaimedCredentials {
  readonly id: string;
  readonly secret: string;
}

/**
 * The credentials of a client of the token endpoint (RFC 6749 §2.3.1): those of Basic authentication, else those of the
 * form (interface/tokens#token-endpoint).
 *
 * @param authorization the header as sent
 * @returns `none` when both are missing, `malformed` for unreadable Basic authentication
 */
export function clientCredentials(
  authorization: string | undefined,
  form: URLSearchParams,
): ClaimedCredentials | 'none' | 'malformed' {
  const basic = /^Basic +(.*)$/i.exec(authorization ?? '')?.[1];
  if (basic !== undefined) return decodeCredentials(basic.trim()) ?? 'malformed';
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  // An empty parameter counts as left out (RFC 6749 §3.2).
  return id && secret ? { id, secret } : 'none';
}

function decodeCredentials(basic: string): ClaimedCredentials | undefined {
  const bytes = Buffer.from(basic, 'base64');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(basic) || !isUtf8(bytes)) return undefined;
  const [id, ...secret] = bytes.toString().split(':');
  try {
    return { id: formDecoded(id ?? ''), secret: formDecoded(secret.join(':')) };
  } catch {
    return undefined;
  }
}

/** @throws URIError for malformed percent-encoding */
function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
