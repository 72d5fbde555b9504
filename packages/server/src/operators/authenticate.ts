import { decodeBase64 } from '@countersign/protocol';
import { type Claims, parseClaims } from '../auth/claims.js';
import { parseCompact } from '../auth/compact.js';
import { native } from '../auth/native-suite.js';
import { type BoundRequest, bindsRequest } from '../auth/request-hash.js';
import { tokenLimits } from '../auth/token-limits.js';
import { tokenLifetime } from '../base/token-lifetime.js';
import type { OperatorKey } from '../operator-settings.js';
import type { Replays } from '../store/queries/replays.js';

/** Why a request is not taken as an operator's. */
export class Unauthorized extends Error {
  /** @param why in a word, for the log @param advice what the sender may do, who sees it: only the holder of a key is told any */
  constructor(
    readonly why: string,
    readonly advice?: string,
  ) {
    super('The request is not signed by a key of OPERATOR_KEYS for this server.');
  }
}

/** What tokens are judged by. */
export interface Judge {
  readonly operators: readonly OperatorKey[];
  /** What `aud` must be: that of this deployment. */
  readonly deployment: string;
  readonly replays: Replays;
  readonly now: () => number;
}

/** A token that an operator has signed for one request to this deployment. */
export interface OperatorToken {
  readonly operator: OperatorKey;
  readonly claims: Required<Claims>;
}

/**
 * Verifies the token of an operator by itself: its signature first, then that it is for this deployment and of the last five minutes. So the
 * body of a request is read for the holder of a key alone.
 *
 * @throws Unauthorized
 */
export function verifyOperatorToken(
  authorization: string | undefined,
  { operators, deployment, now }: Judge,
): OperatorToken {
  const token = /^Bearer +([^ ]+)$/i.exec(authorization ?? '')?.[1];
  const compact = token !== undefined && token.length <= tokenLimits.bytes ? parseCompact(token) : undefined;
  if (compact === undefined) throw new Unauthorized('no-token');
  const operator = operators.find((one) => one.public === compact.kid);
  if (operator === undefined || compact.algorithm !== 'EdDSA') throw new Unauthorized('unknown-key');
  if (!native.verify(compact.signature, compact.signed, decodeBase64(operator.public)!))
    throw new Unauthorized('badly-signed');
  const claims = parseClaims(compact.claims, now(), 'bearer', tokenLifetime.selfSigned);
  if (typeof claims === 'string') throw new Unauthorized(claims, ADVICE[claims]);
  if (!claims.audiences.includes(deployment))
    throw new Unauthorized('for-another-audience', 'it is signed for another deployment');
  const { jti, hsh } = claims;
  if (jti === undefined || hsh === undefined) throw new Unauthorized('unbound', 'A token has `jti` and `hsh`.');
  return { operator, claims: { ...claims, jti, hsh } };
}

/** By the fault of a token. */
const ADVICE: Readonly<Record<string, string>> = {
  expired: 'set the clock of this machine, or that of the server',
  'from-the-future': 'set the clock of this machine, or that of the server',
};

/**
 * Uses a token up: it is for this very request, and was never used, in any process.
 *
 * @throws Unauthorized; what the database throws
 */
export async function useOperatorToken(
  { operator, claims }: OperatorToken,
  request: BoundRequest,
  { replays }: Judge,
): Promise<void> {
  if (!bindsRequest(claims.hsh, request)) {
    const server = request.url.replace(/\/operations\/.*$/, '');
    throw new Unauthorized('bound-to-another-request', `call it by ${server}, or set ADMIN_URL to what operators call`);
  }
  const use = native.sha256(`${operator.public}\n${claims.jti}`);
  if (!(await replays.use('', use, claims.expiresAt))) throw new Unauthorized('used-already');
}
