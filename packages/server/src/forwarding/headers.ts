import type { IncomingHttpHeaders } from 'node:http';
import type { Token } from '../auth/token.js';
import { defined } from '../base/defined.js';
import type { Bridge } from '../bridges/bridge.js';
import { authorizationToForward, makeLedgerAuthorization } from '../bridges/ledger-token.js';
import { HOP_BY_HOP } from '../bridges/reserved-headers.js';
import { hasAccessToken } from '../bridges/security.js';
import type { Session } from '../ledgers/session.js';
import { makeVia } from '../outbound/via.js';

/** Headers of the client that are kept from the bridge (interface/forwarding#headers). */
const NOT_PASSED_ON: readonly string[] = [
  'x-ledger',
  // Set by the ledger: a client could forge them, and a bridge could act with the client's token.
  'authorization',
  'x-forwarded-authorization',
  'x-ledger-authorization',
  // They are about what a client has, or would take: the ledger takes the whole answer, as it is.
  'accept-encoding',
  'range',
  // Meant for the ledger only.
  'cookie',
  // A bridge that heeds them would take another method or path from the client, with the ledger's token.
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
];

/** Headers about the body, which the ledger writes anew; and conditions, whose answer could lack the record. */
const NOT_PASSED_ON_EITHER = /^(content-|if-)/;

/** Headers by which the ledger speaks, which no security rule may set (interface/forwarding#headers). */
export const OWN: readonly string[] = ['authorization', 'x-ledger-authorization', 'x-forwarded-authorization', 'via'];

/**
 * The headers of a forwarded request: the client's own, and a token by which the bridge knows the ledger and the caller
 * (interface/forwarding#headers). A bridge with an `oauth2` rule gets that token under another name: what stands before it
 * asks for an access token in `authorization`. The client's `authorization` goes, under another name, to a bridge that is
 * to have it.
 *
 * @param token the client's, verified
 */
export function makeForwardHeaders(
  session: Session,
  bridge: Bridge,
  client: IncomingHttpHeaders,
  token: Token | undefined,
  hasBody: boolean,
): Record<string, string> {
  const { accept = 'application/json' } = client;
  const authorization = authorizationToForward(bridge, client);
  return {
    ...selectEndToEndHeaders(client),
    'accept-encoding': 'identity',
    accept,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...defined({ 'x-forwarded-authorization': authorization }),
    [hasAccessToken(bridge) ? 'x-ledger-authorization' : 'authorization']: makeLedgerAuthorization(
      session,
      bridge,
      token,
    ),
    via: makeVia(session.ledger, client),
  };
}

function selectEndToEndHeaders(client: IncomingHttpHeaders): Record<string, string> {
  const named = client.connection?.split(',').map((name) => name.trim().toLowerCase()) ?? [];
  return Object.fromEntries(
    Object.entries(client).flatMap(([name, value]) => {
      const stays = [...HOP_BY_HOP, ...NOT_PASSED_ON, ...named].includes(name) || NOT_PASSED_ON_EITHER.test(name);
      return stays || value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]];
    }),
  );
}
