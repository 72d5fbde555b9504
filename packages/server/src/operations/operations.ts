import { checkAccess } from './check.js';
import { createRecord } from './create/operation.js';
import { dropRecord } from './drop.js';
import { listRecords } from './list.js';
import { listRecordChanges } from './list-changes.js';
import type { Operation } from './operation.js';
import { proveRecord } from './prove.js';
import { readRecord } from './read.js';
import { readRecordChange } from './read-change.js';
import { updateRecord } from './update/operation.js';

/** The operations on records, in the order of their routes. */
export const OPERATIONS: readonly Operation[] = [
  createRecord,
  listRecords,
  readRecord,
  updateRecord,
  dropRecord,
  proveRecord,
  checkAccess,
  listRecordChanges,
  readRecordChange,
];
