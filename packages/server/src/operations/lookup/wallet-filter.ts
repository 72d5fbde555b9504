import type { RecordEnvelope } from '@countersign/protocol';
import type { PathFilter } from '../../store/queries/filter.js';

/** The filter for the anchors of a wallet: they name it by the address of the request; for a luid, by its handle. */
export function makeWalletFilters(address: string, wallet: RecordEnvelope | undefined): PathFilter[] {
  const handle = wallet?.luid === address ? String(wallet.data.handle) : address;
  return [{ path: 'data.wallet', operator: '$eq', values: [handle] }];
}
