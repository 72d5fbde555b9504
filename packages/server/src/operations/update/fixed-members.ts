import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, LedgerError } from '@countersign/protocol';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import type { Held } from '../../store/money/holds.js';

/**
 * Checks that an update keeps what money rests on (interface/wallets#symbols).
 *
 * @returns what the commit is to look for again, when such a member changes: money may come meanwhile
 * @throws `record.update-rejected`
 */
export async function assertFixedMembers(
  session: Session,
  { links: { fixes } }: Kind,
  previous: JsonObject,
  data: JsonObject,
): Promise<Held | undefined> {
  if (!fixes || isDeepStrictEqual(previous[fixes.member], data[fixes.member])) return undefined;
  const handle = String(previous.handle);
  const held: Held = { by: fixes.by, id: handle };
  const found = await session.store.holds({ ledger: session.ledger.id, ...held });
  if (found.length === 0) return held;
  const { detail, hint } = fixes.refusal(handle);
  throw new LedgerError('record.update-rejected', detail, { hint });
}
