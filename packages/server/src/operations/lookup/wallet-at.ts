import { isLuid, type RecordEnvelope } from '@countersign/protocol';
import { isHandle } from '../../base/handle.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Session } from '../../ledgers/session.js';
import { readRecordText } from '../../metering/task.js';
import { resolveHandles } from '../../records/address.js';

/**
 * Whether a text may be the address of a wallet: a luid, or of the form of a handle. Only such text reaches a statement of
 * the database or the path of a call.
 */
export function isWalletAddress(text: string): boolean {
  return isWalletLuid(text) || isHandle(text);
}

function isWalletLuid(text: string): boolean {
  return isLuid(text, kindNamed('wallet').prefix);
}

/**
 * The wallet that an address leads to: the one with the luid, or the first that exists of the handles that the address may
 * mean (interface/wallets#routes).
 *
 * @param address for which `isWalletAddress` holds
 * @throws OutOfDate when the ledger's state is not the one it was found under
 */
export async function findWalletAt(session: Session, address: string): Promise<RecordEnvelope | undefined> {
  const found = await Promise.all(namesAt(address).map(({ id, by }) => session.findVersion('wallet', id, by)));
  const body = found.find((record) => record !== undefined)?.body;
  if (body === undefined) return undefined;
  return readRecordText(session.task, body);
}

function namesAt(address: string): { readonly id: string; readonly by: 'luid' | 'handle' }[] {
  if (isWalletLuid(address)) return [{ id: address, by: 'luid' }];
  return resolveHandles(address).map((id) => ({ id, by: 'handle' }));
}
