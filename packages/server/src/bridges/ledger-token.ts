import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '@countersign/protocol';
import type { Token } from '../auth/token.js';
import { defined } from '../base/defined.js';
import { tokenLifetime } from '../base/token-lifetime.js';
import type { Session } from '../ledgers/session.js';
import type { Bridge } from './bridge.js';

/**
 * The value of `authorization` by which a bridge knows the ledger, and who has asked it (interface/bridges#token-of-the-ledger).
 *
 * @param caller the client's token, verified; undefined for a request without one
 */
export function makeLedgerAuthorization(session: Session, { handle: aud }: Bridge, caller: Token | undefined): string {
  const iat = Math.floor(session.runtime.now() / 1000);
  const { handle, system } = session.ledger;
  const token = system.token({
    iss: `ledger:${handle}`,
    sub: `${system.handle}@${handle}`,
    aud,
    iat,
    exp: iat + tokenLifetime.ofLedger,
    ...(caller ? { caller: describeCaller(caller) } : {}),
  });
  return `Bearer ${token}`;
}

/** Of a self-signed token its key, of any other who the provider says it is for: what the ledger has verified, no more. */
function describeCaller({ kind: origin, key, claims }: Token): JsonObject {
  if (key !== undefined) return { origin, public: key };
  const { iss, sub } = claims;
  return defined({ origin, issuer: iss, signer: sub });
}

/**
 * The client's own `authorization`, where the bridge is to have it: its `config` says so, and it is in no domain. Whoever
 * may change a bridge in a domain has rights there only, and could use the token elsewhere in the ledger.
 */
export function authorizationToForward(
  { forwardsTokens, domain }: Bridge,
  { authorization }: IncomingHttpHeaders,
): string | undefined {
  return forwardsTokens && domain === undefined ? authorization : undefined;
}
