import type { JsonObject } from '@countersign/protocol';
import { TRAIL, type TrailStep } from '@countersign/protocol/trail';
import type { IntentEvent, IntentState, PlannedProof } from './intent.js';
import type { Plan } from './plan/plan.js';

/**
 * The proofs that the ledger makes at a step of an intent, by the table of the protocol (interface/intents#trails).
 *
 * @returns none where the intent has no use for the step. Claims that set limits have no entries: a version that says nothing
 *   new is not stored
 */
export function proofsOf(step: TrailStep, { plan, failure }: IntentState, event: IntentEvent): readonly PlannedProof[] {
  switch (step) {
    case 'resolved':
      return proofsOfWallets(plan!);
    case 'reserved':
    case 'released':
      return hasReservation(plan!) ? entryProofs(step, plan!) : [];
    // By the core, for each entry, where it has a part in the intent; else of the whole by the system.
    case 'cleared by core':
      return hasReservation(plan!) ? entryProofs(step, plan!).map((proof) => ({ ...proof, isBare: true })) : [];
    case 'cleared':
      return hasReservation(plan!) ? [] : [planProof(step, { coreId: plan!.intent, ...TRAIL.cleared.says })];
    case 'failed':
      return [planProof('failed', { detail: failure!.detail, reason: failure!.reason, ...TRAIL.failed.says })];
    case 'note': {
      // The intent stays as it is: a later attempt or report may carry it on.
      const detail = event.type === 'gave-up' ? event.detail : '';
      return [planProof('note', { detail, reason: 'core.bridge-unreachable', ...TRAIL.note.says })];
    }
    default:
      return [planProof(step, TRAIL[step].says)];
  }
}

/** Whether the core reserves debits for it: not where there is none, and not for what another intent sends on. */
export function hasReservation({ entries, isForward }: Plan): boolean {
  return !isForward && entries.some(({ side }) => side === 'debit');
}

/** Whether it sends credits on. */
export function forwards({ entries }: Plan): boolean {
  return entries.some(({ forwardTo }) => forwardTo !== undefined);
}

/** Per entry: the wallet that it was resolved to. */
function proofsOfWallets({ entries }: Plan): PlannedProof[] {
  return entries.map(({ handle, side, claim, wallet, symbol, amount, bridge }) =>
    planProof('resolved', {
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

function entryProofs(step: TrailStep, { entries }: Plan): PlannedProof[] {
  return entries.map(({ handle, side }) => planProof(step, { ...TRAIL[step].says, handle, schema: side }));
}

function planProof(step: TrailStep, custom: JsonObject): PlannedProof {
  return { by: TRAIL[step].by, custom };
}
