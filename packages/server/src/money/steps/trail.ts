import type { JsonObject } from '@countersign/protocol';
import type { Entry, Failure, Plan, PlannedProof } from '../model.js';

/** The proofs that the ledger makes at each transition of an intent, in their order (interface/intents#trails). */

/** Per entry: the wallet that it was resolved to. */
export function resolvedProofs({ entries }: Plan): PlannedProof[] {
  return entries.map(({ handle, side, claim, wallet, symbol, amount, bridge }) =>
    bySystem({
      amount,
      ...(bridge === undefined ? {} : { bridge }),
      handle,
      inputs: [claim],
      schema: side,
      status: 'resolved',
      symbol,
      wallet,
    }),
  );
}

/** Per entry: its debit is reserved, its credit expected. */
export function reservedProofs({ entries }: Plan): PlannedProof[] {
  return entries.map((entry) => byCore(entry, 'prepared'));
}

/** Per entry: its debit is available again. */
export function releasedProofs({ entries }: Plan): PlannedProof[] {
  return entries.map((entry) => byCore(entry, 'aborted'));
}

/** Balances have changed: told per entry by the core where it has a part in the intent, else of the whole by the system. */
export function clearedProofs(plan: Plan): PlannedProof[] {
  if (!hasReservation(plan)) {
    return [bySystem({ coreId: plan.intent, detail: 'cleared', status: 'committed' })];
  }
  return plan.entries.map(({ handle, side }) => {
    const custom = { detail: 'cleared', status: 'committed', handle, schema: side };
    return { by: 'core', custom, isBare: true };
  });
}

export const PREPARED: PlannedProof = bySystem({ status: 'prepared' });
export const COMMITTED: PlannedProof = bySystem({ detail: 'awaiting-clearance', status: 'committed' });
export const COMPLETED: PlannedProof = bySystem({ status: 'completed' });
export const ABORTED: PlannedProof = bySystem({ status: 'aborted' });
export const REJECTED: PlannedProof = bySystem({ status: 'rejected' });

export function failedProof({ reason, detail }: Failure): PlannedProof {
  return bySystem({ detail, reason, status: 'failed' });
}

/** A call to a bridge was given up: the intent stays as it is, as a later attempt or report may carry it on. */
export function unreachableProof(detail: string): PlannedProof {
  return bySystem({ detail, reason: 'core.bridge-unreachable', status: 'error' });
}

/** Whether the core reserves debits for it: not where there is none, and not for what another intent sends on. */
export function hasReservation({ entries, isForward }: Plan): boolean {
  return !isForward && entries.some(({ side }) => side === 'debit');
}

function bySystem(custom: JsonObject): PlannedProof {
  return { by: 'system', custom };
}

function byCore({ handle, side }: Entry, status: string): PlannedProof {
  return { by: 'core', custom: { status, handle, schema: side } };
}
