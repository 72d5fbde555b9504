import { isOwn, type Ledger } from '../ledgers/ledger.js';
import { invalidToken, type Token } from './token.js';

/**
 * Refuses a token that a key of the ledger's own has signed: the ledger makes such tokens for its bridges only, and one
 * that comes back is a replay by a bridge.
 *
 * @throws `auth.unauthorized` (interface/tokens#refused-tokens)
 */
export function assertNotOwnToken(ledger: Ledger, token: Token | undefined): void {
  if (token?.key !== undefined && isOwn(ledger, token.key)) throw invalidToken('key-of-the-ledger');
}
