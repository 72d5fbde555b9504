import type { KindDescription } from '../kinds/kinds.js';

/** What the address of a form keeps. */
export interface DoSearch {
  /** The record above, of kinds that lie below others. */
  readonly parent?: string | undefined;
  /** One delivery, to be tried again. */
  readonly event?: string | undefined;
}

/** Writes that have a form, in the order in which they are offered. */
const DOINGS = ['create', 'update', 'sign', 'commit', 'abort', 'retry', 'drop', 'erase'] as const;

export type Doing = (typeof DOINGS)[number];

/** The writes of a kind. Who may add a proof to an intent decides on it as well, where it is held. */
export function doingsOf({ record, operations }: KindDescription): readonly Doing[] {
  const has = (name: string) => operations.some((operation) => operation.name === name);
  return DOINGS.filter((doing) => {
    if (doing === 'commit' || doing === 'abort') return record === 'intent' && has('sign');
    // The ledger of the page is there already.
    return has(doing) && !(record === 'ledger' && doing === 'create');
  });
}

/** Statuses of intents about which nobody can decide any more. */
const DECIDED = ['committed', 'aborted', 'completed', 'rejected'];

/** The writes on one record of a kind. @param status of the record */
export function doingsOn(kind: KindDescription, status: unknown): readonly Doing[] {
  const isDecided = kind.record === 'intent' && DECIDED.includes(String(status));
  return doingsOf(kind).filter((doing) => doing !== 'create' && !(isDecided && /^(commit|abort)$/.test(doing)));
}

/** What of an address is that of a form. */
export function readDoSearch({ parent, event }: DoSearch): DoSearch {
  return { ...(parent ? { parent } : {}), ...(event ? { event } : {}) };
}
