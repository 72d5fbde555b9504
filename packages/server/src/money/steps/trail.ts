import type { JsonObject } from '@countersign/protocol';
import { TRAIL, type TrailStep } from '@countersign/protocol/trail';
import type { Entry, Failure, Plan, PlannedProof } from '../model.js';

/** The proofs that the ledger makes at each step of an intent, by the table of the protocol (interface/intents#trails). */

/** Per entry: the wallet that it was resolved to. */
export function resolvedProofs({ entries }: Plan): PlannedProof[] {
  return entries.map(({ handle, side, claim, wallet, symbol, amount, bridge }) =>
    planned('resolved', {
      amount,
      ...(bridge === undefined ? {} : { bridge }),
      handle,
      inputs: [claim],
      schema: side,
      ...TRAIL.resolved.says,
      symbol,
      wallet,
    }),
  );
}

/** Per entry: its debit is reserved, its credit expected. */
export function reservedProofs({ entries }: Plan): PlannedProof[] {
  return entries.map((entry) => ofEntry('reserved', entry));
}

/** Per entry: its debit is available again. */
export function releasedProofs({ entries }: Plan): PlannedProof[] {
  return entries.map((entry) => ofEntry('released', entry));
}

/** How it is told that balances have changed: per entry by the core where it has a part in the intent, else of the whole by the system. */
export function clearedStep(plan: Plan): 'cleared by core' | 'cleared' {
  return hasReservation(plan) ? 'cleared by core' : 'cleared';
}

export function clearedProofs(plan: Plan): PlannedProof[] {
  if (clearedStep(plan) === 'cleared') return [planned('cleared', { coreId: plan.intent, ...TRAIL.cleared.says })];
  return plan.entries.map((entry) => ({ ...ofEntry('cleared by core', entry), isBare: true }));
}

/** The proof of a step that says nothing more. */
export function plainProof(step: 'prepared' | 'committed' | 'completed' | 'aborted' | 'rejected'): PlannedProof {
  return planned(step, TRAIL[step].says);
}

export function failedProof({ reason, detail }: Failure): PlannedProof {
  return planned('failed', { detail, reason, ...TRAIL.failed.says });
}

/** A call to a bridge was given up: the intent stays as it is, as a later attempt or report may carry it on. */
export function unreachableProof(detail: string): PlannedProof {
  return planned('note', { detail, reason: 'core.bridge-unreachable', ...TRAIL.note.says });
}

/** Whether the core reserves debits for it: not where there is none, and not for what another intent sends on. */
export function hasReservation({ entries, isForward }: Plan): boolean {
  return !isForward && entries.some(({ side }) => side === 'debit');
}

function ofEntry(step: TrailStep, { handle, side }: Entry): PlannedProof {
  return planned(step, { ...TRAIL[step].says, handle, schema: side });
}

function planned(step: TrailStep, custom: JsonObject): PlannedProof {
  return { by: TRAIL[step].by, custom };
}
