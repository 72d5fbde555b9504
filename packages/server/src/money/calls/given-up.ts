import type { Session } from '../../ledgers/session.js';
import type { OpenIntents } from '../../store/money/open-intents.js';
import { AWAITED, indexOfPart } from '../machine.js';
import type { IntentEvent, IntentState } from '../model.js';

/**
 * The calls of an intent that were given up while their answers are awaited, and that is not noted yet
 * (interface/bridges#failures).
 *
 * @throws Error when one is not what the ledger stored
 */
export async function findGivenUp(
  session: Session,
  openIntents: OpenIntents,
  state: IntentState,
): Promise<IntentEvent[]> {
  const { ledger, integrity } = session;
  const isAwaiting = state.parts.some((status, part) => AWAITED[status] && !state.givenUp.includes(part));
  if (!isAwaiting) return [];
  const calls = await openIntents.givenUp(ledger.id, state.plan!.intent);
  return calls.flatMap((call): IntentEvent[] => {
    const { handle, purpose, entry = '', why, whyMac, ...others } = call;
    const part = indexOfPart(state, entry);
    if (part < 0 || purpose === undefined || AWAITED[state.parts[part]!] !== purpose) return [];
    const luid = `$evd.${handle}`;
    const isStored = integrity.deliveryMac(ledger.id, { ...others, handle, purpose, entry }) === call.mac;
    if (!isStored || integrity.openMac(ledger.id, luid, why) !== whyMac) {
      return integrity.refuse({ ledger: ledger.luid, luid, change: 1 }, 'is not the text that was stored');
    }
    return [{ type: 'gave-up', part: entry, detail: why }];
  });
}
