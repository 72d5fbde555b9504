import { NO_NODES } from '../../src/store/nodes/guard.js';
import type { ReadGuards } from '../../src/store/queries/version.js';

/** Checks nothing of what is in the database, for tests that write there what no ledger would. */
export const UNCHECKED: ReadGuards = {
  check: () => undefined,
  epochs: { walPosition: 'null::bigint', saw() {} },
  nodes: NO_NODES,
};
