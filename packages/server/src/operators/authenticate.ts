import { LedgerError } from '@countersign/protocol';
import { parseCompact } from '../auth/compact.js';
import type { BoundRequest } from '../auth/request-hash.js';
import { TokenRefused, verifyToken } from '../auth/token.js';
import { tokenLimits } from '../auth/token-limits.js';
import type { OperatorKey } from '../operator-settings.js';
import type { Replays } from '../store/queries/replays.js';

/** Why a request is not taken as an operator's. */
export class Unauthorized extends Error {
  /** @param why in a word, for the log @param advice what the sender may do, who sees it */
  constructor(
    readonly why: string,
    readonly advice?: string,
  ) {
    super('The request is not signed by a key of OPERATOR_KEYS for this server.');
  }
}

/**
 * Which operator a token names: its form is read, and nothing verified. So whoever has no key of theirs is refused before the body is read.
 *
 * @throws Unauthorized
 */
export function namedOperator(authorization: string | undefined, operators: readonly OperatorKey[]): OperatorKey {
  const token = /^Bearer +([^ ]+)$/i.exec(authorization ?? '')?.[1];
  const compact = token !== undefined && token.length <= tokenLimits.bytes ? parseCompact(token) : undefined;
  if (compact === undefined) throw new Unauthorized('no-token');
  const operator = operators.find((one) => one.public === compact.kid);
  if (operator === undefined || compact.algorithm !== 'EdDSA') throw new Unauthorized('unknown-key');
  const { jti, hsh } = compact.claims;
  if (!isText(jti) || !isText(hsh)) throw new Unauthorized('unbound', 'A token has `jti` and `hsh`.');
  return operator;
}

function isText(claim: unknown): boolean {
  return typeof claim === 'string' && claim !== '';
}

/** What tokens are judged by. */
export interface Judge {
  /** What `aud` must be: that of this deployment. */
  readonly deployment: string;
  readonly replays: Replays;
  readonly now: () => number;
}

/**
 * Verifies the token of an operator: that its key has signed this very request for this deployment, within the last five minutes, and that it
 * was never used, in any process.
 *
 * @throws Unauthorized; what the database throws
 */
export async function verifyOperator(
  authorization: string,
  request: BoundRequest,
  { deployment, replays, now }: Judge,
): Promise<void> {
  const keys = {
    ledger: '',
    audiences: [deployment],
    signerKey: async () => undefined,
    factor: async () => undefined,
  };
  try {
    await verifyToken(authorization, request, keys, now, replays);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const why = error.cause instanceof TokenRefused ? error.cause.why : error.reason;
    throw new Unauthorized(why, ADVICE[why]?.(request.url));
  }
}

/** By the fault of a token: of those that the holder of the key alone can meet, or that say nothing of keys. */
const ADVICE: Readonly<Record<string, (url: string) => string>> = {
  expired: () => 'set the clock of this machine, or that of the server',
  'from-the-future': () => 'set the clock of this machine, or that of the server',
  'for-another-audience': () => 'it is signed for another deployment',
  'bound-to-another-request': (url) =>
    `call it by ${url.replace(/\/operations\/.*$/, '')}, or set ADMIN_URL to what operators call`,
};
