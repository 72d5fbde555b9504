import { findKind } from '../kinds/kinds.js';
import type { RecordAsked } from './use-record.js';

/** What the address of a record keeps. */
export interface RecordSearch {
  /** The record above, of kinds that lie below others. */
  readonly parent?: string | undefined;
  /** The number of an earlier version. */
  readonly change?: string | undefined;
}

/** What of an address is that of a record. */
export function readRecordSearch({ parent, change }: RecordSearch): RecordSearch {
  return { ...(parent ? { parent } : {}), ...(change && /^[1-9]\d{0,9}$/.test(change) ? { change } : {}) };
}

/** What the address of a record asks for; undefined for a kind that there is not. */
export function recordAskedOf(record: string, id: string, { parent, change }: RecordSearch): RecordAsked | undefined {
  const kind = findKind(record);
  return kind && { kind, id, parent, change: change === undefined ? undefined : Number(change) };
}
