import type { IncomingHttpHeaders } from 'node:http';
import type { Bridge } from '../bridges/bridge.js';
import { HOP_BY_HOP } from '../bridges/reserved-headers.js';
import { hasAccessToken } from '../bridges/security.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';

/** What a client says that is not for the bridge (interface/forwarding#headers). */
const NOT_PASSED_ON: readonly string[] = [
  'x-ledger',
  // The ledger says whose token it verified. A client that says so itself is not to be believed.
  'authorization',
  'x-forwarded-authorization',
  'x-ledger-authorization',
  // They are about what a client has, or would take: the ledger takes the whole answer, as it is.
  'accept-encoding',
  'range',
  // It is the client's at the ledger.
  'cookie',
  // They would let a client say what the ledger asks of a bridge that heeds them: another method or path, with its token.
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
];

/** About the body, which is another one; and conditions, to which the answer would be no record. */
const NOT_PASSED_ON_EITHER = /^(content-|if-)/;

/** Headers by which the ledger speaks, which no security rule may set (interface/forwarding#headers). */
export const OWN: readonly string[] = ['authorization', 'x-ledger-authorization', 'x-forwarded-authorization', 'via'];

/** Seconds that a token of the ledger's is good for (interface/forwarding#headers). */
const TOKEN_LIFE = 86_400;

/**
 * The headers of a forwarded request: the client's own, its `authorization` under another name, and a token by which the
 * bridge knows the ledger (interface/forwarding#headers). A bridge with an `oauth2` rule gets that token under another
 * name too: what stands before it asks for an access token in `authorization`.
 */
export function forwardedHeaders(
  session: Session,
  bridge: Bridge,
  client: IncomingHttpHeaders,
  hasBody: boolean,
): Record<string, string> {
  const { authorization, accept = 'application/json', via } = client;
  return {
    ...passedOn(client),
    'accept-encoding': 'identity',
    accept,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(authorization === undefined ? {} : { 'x-forwarded-authorization': authorization }),
    [hasAccessToken(bridge) ? 'x-ledger-authorization' : 'authorization']: `Bearer ${tokenFor(session, bridge.handle)}`,
    via: [...(via === undefined ? [] : [via]), `1.1 ${session.ledger.luid}`].join(', '),
  };
}

/** Whether the request has been forwarded by this ledger before: bridges may lead back to it. */
export function cameBack(ledger: Ledger, { via }: IncomingHttpHeaders): boolean {
  return via?.split(',').some((hop) => hop.trim().split(' ')[1] === ledger.luid) ?? false;
}

function passedOn(client: IncomingHttpHeaders): Record<string, string> {
  const named = client.connection?.split(',').map((name) => name.trim().toLowerCase()) ?? [];
  return Object.fromEntries(
    Object.entries(client).flatMap(([name, value]) => {
      const stays = [...HOP_BY_HOP, ...NOT_PASSED_ON, ...named].includes(name) || NOT_PASSED_ON_EITHER.test(name);
      return stays || value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]];
    }),
  );
}

function tokenFor(session: Session, bridge: string): string {
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
