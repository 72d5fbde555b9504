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
