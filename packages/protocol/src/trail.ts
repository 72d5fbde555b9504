import type { JsonObject } from './json.js';

/** What a step does with amounts: makes them pending, posts them, or voids what was pending. */
export type Move = 'pending' | 'post' | 'void';

/** A step of an intent, as the ledger's proofs tell of it (interface/intents#trails). */
export type TrailStep =
  | 'resolved'
  | 'reserved'
  | 'prepared'
  | 'committed'
  | 'cleared by core'
  | 'cleared'
  | 'completed'
  | 'failed'
  | 'aborted'
  | 'released'
  | 'rejected'
  | 'note';

/** One step: who proves it, and what it says. */
export interface TrailRow {
  /** The signer that proves it. */
  readonly by: 'system' | 'core';
  /** Members of `custom` that tell it from other steps of this signer. */
  readonly says: Readonly<JsonObject>;
  /** `meta.status` of the intent from then on; as before unless given. */
  readonly status?: string;
  /** Whether it has a proof for each entry, all in one version. */
  readonly isPerEntry?: true;
  /** What becomes of the amounts of all entries. */
  readonly move?: Move;
  /** Steps that may follow. A note follows any, and changes nothing. */
  readonly next: readonly TrailStep[];
}

/** Where every intent begins: its `meta.status`, and the steps that may follow. */
export const TRAIL_START = { status: 'pending', next: ['resolved', 'prepared', 'failed'] } as const satisfies Pick<
  TrailRow,
  'status' | 'next'
>;

/** All steps. The server makes proofs by this table, and verifiers follow them by it. */
export const TRAIL: Readonly<Record<TrailStep, TrailRow>> = {
  resolved: { by: 'system', says: { status: 'resolved' }, isPerEntry: true, next: ['reserved', 'prepared', 'failed'] },
  reserved: {
    by: 'core',
    says: { status: 'prepared' },
    isPerEntry: true,
    move: 'pending',
    next: ['prepared', 'failed'],
  },
  prepared: { by: 'system', says: { status: 'prepared' }, status: 'prepared', next: ['committed', 'failed'] },
  committed: {
    by: 'system',
    says: { detail: 'awaiting-clearance', status: 'committed' },
    status: 'committed',
    next: ['cleared by core', 'cleared'],
  },
  'cleared by core': {
    by: 'core',
    says: { detail: 'cleared', status: 'committed' },
    isPerEntry: true,
    move: 'post',
    next: ['completed'],
  },
  cleared: { by: 'system', says: { detail: 'cleared', status: 'committed' }, move: 'post', next: ['completed'] },
  completed: { by: 'system', says: { status: 'completed' }, status: 'completed', next: [] },
  failed: { by: 'system', says: { status: 'failed' }, next: ['aborted'] },
  aborted: { by: 'system', says: { status: 'aborted' }, status: 'aborted', next: ['released', 'rejected'] },
  released: { by: 'core', says: { status: 'aborted' }, isPerEntry: true, move: 'void', next: ['rejected'] },
  rejected: { by: 'system', says: { status: 'rejected' }, status: 'rejected', next: [] },
  note: { by: 'system', says: { status: 'error' }, next: [] },
};
