import type { IncomingHttpHeaders } from 'node:http';
import type { Bridge } from '../bridges/bridge.js';
import { HOP_BY_HOP } from '../bridges/reserved-headers.js';
import { hasAccessToken } from '../bridges/security.js';
import type { Session } from '../ledgers/session.js';
import { makeVia } from '../outbound/via.js';

/** Headers of the client that are kept from the bridge (interface/forwarding#headers). */
const NOT_PASSED_ON: readonly string[] = [
  'x-ledger',
  // Set by the ledger, from the token that it verified: a client could forge them.
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

/** Lifetime of a token of the ledger's, in seconds (interface/forwarding#headers). */
const TOKEN_LIFE = 86_400;

/**
 * The headers of a forwarded request: the client's own, its `authorization` under another name, and a token by which the
 * bridge knows the ledger (interface/forwarding#headers). A bridge with an `oauth2` rule gets that token under another
 * name too: what stands before it asks for an access token in `authorization`.
 */
export function makeForwardHeaders(
  session: Session,
  bridge: Bridge,
  client: IncomingHttpHeaders,
  hasBody: boolean,
): Record<string, string> {
  const { authorization, accept = 'application/json' } = client;
  return {
    ...selectEndToEndHeaders(client),
    'accept-encoding': 'identity',
    accept,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(authorization === undefined ? {} : { 'x-forwarded-authorization': authorization }),
    [hasAccessToken(bridge) ? 'x-ledger-authorization' : 'authorization']:
      `Bearer ${makeBridgeToken(session, bridge.handle)}`,
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

function makeBridgeToken(session: Session, bridge: string): string {
  const iat = Math.floor(session.runtime.now() / 1000);
  const { handle } = session.ledger;
  return session.ledger.system.token({
    iss: `ledger:${handle}`,
    sub: `${session.ledger.system.handle}@${handle}`,
    aud: bridge,
    iat,
    exp: iat + TOKEN_LIFE,
  });
}
