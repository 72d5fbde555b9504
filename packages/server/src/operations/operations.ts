import { checkAccess } from './check.js';
import { createRecord } from './create/create.js';
import { dropRecord } from './drop.js';
import { eraseRecord } from './erase.js';
import { activateEvents } from './events/activate.js';
import { listEvents } from './events/list-events.js';
import { readEvent } from './events/read-event.js';
import { retryEvents } from './events/retry.js';
import { listRequests } from './journal/list-requests.js';
import { readRequest } from './journal/read-request.js';
import { listRecords } from './list.js';
import { listRecordChanges } from './list-changes.js';
import { readLogConsistency } from './log/consistency.js';
import { readChangeInclusion } from './log/inclusion.js';
import { readLog } from './log/state.js';
import { lookupAnchors } from './lookup/lookup-anchors.js';
import { walletAnchors } from './lookup/wallet-anchors.js';
import { walletDomains } from './lookup/wallet-domains.js';
import { listWalletBalances } from './money/list-wallet-balances.js';
import { listWalletLimits } from './money/list-wallet-limits.js';
import type { Operation } from './operation.js';
import { proveRecord } from './prove.js';
import { readRecord } from './read.js';
import { readRecordAsset } from './read-asset.js';
import { readRecordChange } from './read-change.js';
import { updateRecord } from './update.js';

/** The operations on records, in the order of their routes. */
export const OPERATIONS: readonly Operation[] = [
  createRecord,
  listRecords,
  readRecord,
  updateRecord,
  dropRecord,
  eraseRecord,
  proveRecord,
  checkAccess,
  listRecordChanges,
  readRecordChange,
  readChangeInclusion,
  listEvents,
  readEvent,
  retryEvents,
  activateEvents,
  walletAnchors,
  lookupAnchors,
  walletDomains,
  listWalletBalances,
  listWalletLimits,
  readRecordAsset,
  readLog,
  readLogConsistency,
  listRequests,
  readRequest,
];
