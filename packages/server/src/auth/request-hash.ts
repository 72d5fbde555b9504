import { hash, type Json, LedgerError } from '@countersign/protocol';
import { native } from './native-suite.js';

/** The request that a token can be bound to. */
export interface BoundRequest {
  readonly method: string;
  /** The public absolute URL with the query exactly as sent: `PUBLIC_URL` stands for the address a proxy saw. */
  readonly url: string;
  /** Other URLs that clients may have used for the same address. */
  readonly aliases?: readonly string[];
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; undefined when the request has none. */
  readonly body: Json | undefined;
}

/**
 * The `hsh` claim that binds a token to `request` and to its headers called `names` (interface/tokens#request-hash):
 * the hash of method, URL, headers and body, followed by `:` and the names when there are any. `names` are lower case.
 *
 * @throws LedgerError `auth.unauthorized` when a named header is missing
 */
export function requestHash(request: BoundRequest, names: readonly string[] = []): string {
  const value = hash(
    {
      method: request.method.toUpperCase(),
      url: request.url,
      headers: names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, boundHeader(request, name)])),
      body: normalizeBody(request.body),
    },
    native,
  );
  return names.length === 0 ? value : `${value}:${names.join(',')}`;
}

/**
 * Whether `hsh`, the claim of a token, is the hash of `request` and of the headers it names
 * (interface/tokens#request-hash).
 */
export function bindsRequest(hsh: string, request: BoundRequest): boolean {
  const colon = hsh.indexOf(':');
  const names = colon === -1 ? [] : hsh.slice(colon + 1).split(',');
  try {
    return [request.url, ...(request.aliases ?? [])].some((url) => requestHash({ ...request, url }, names) === hsh);
  } catch {
    // A named header is missing, or text is invalid Unicode and so has no hash.
    return false;
  }
}

function boundHeader(request: BoundRequest, name: string): string {
  const value = Object.hasOwn(request.headers, name) ? request.headers[name] : undefined;
  if (value === undefined) throw new LedgerError('auth.unauthorized', 'Invalid token.');
  return typeof value === 'string' ? value : value.join(', ');
}

/** Clients hash an empty body as null, also when they send `{}`. */
function normalizeBody(body: Json | undefined): Json {
  if (body === undefined || body === '') return null;
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0 ? null : body;
}
