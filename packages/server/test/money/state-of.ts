import { isObject, type JsonObject, type StoredProof } from '@countersign/protocol';
import type { IntentState, ReportStatus } from '../../src/money/intent.js';
import { ACCEPTED } from '../../src/money/intent.js';
import { AWAITED, applyReport } from '../../src/money/machine.js';
import type { Plan } from '../../src/money/plan/plan.js';

import { hasReservation } from '../../src/money/proofs.js';

/**
 * The state of an intent, rebuilt from its proofs (interface/intents#trails): the trail is the truth, and a state that is
 * kept elsewhere only saves the reading of it.
 *
 * What no proof says follows by rule:
 * - A plan without proofs of a decision waits for a permission; a forward intent never does.
 * - Bridges of debits, or of credits where no debit has a bridge, are asked when the core has prepared, and for a forward
 *   intent when it is resolved; bridges of credits when all debits are prepared.
 * - A part from which a rejected intent did not wait for `aborted` was never asked.
 * - An intent that was held goes on by a proof with the action `commit`: whoever may not decide is refused, so that no
 *   such proof of theirs is stored.
 * - A note that a call was given up does not name its part: it counts for the first awaited one that has none yet. With
 *   several calls given up, `givenUp` may therefore hold another part than the state had: at worst one note too many, or
 *   too few, is made later.
 *
 * @param plan what was resolved; nothing for an intent that is not, or could not be
 * @param proofs all of the record, in their order. A report counts where it stands: one that no step has followed yet is to
 *   be left out, and stepped
 */
export function stateOf(plan: Plan | undefined, proofs: readonly StoredProof[]): IntentState {
  const start: IntentState =
    plan === undefined ? ACCEPTED : { ...ACCEPTED, stage: 'waiting', plan, parts: plan.parts.map(() => 'idle') };
  return proofs.reduce(follow, start);
}

function follow(state: IntentState, { custom, signer, origin }: StoredProof): IntentState {
  // Without origin it is the ledger's own: of the core, which names entries as a bridge names its parts.
  if (!isObject(custom) || origin === undefined || isFinal(state)) return state;
  if (signer === 'system') return followSystem(state, custom);
  if (signer === 'core') return followCore(state, custom);
  return followReport(state, custom);
}

function followSystem(state: IntentState, { status, detail, reason }: JsonObject): IntentState {
  switch (status) {
    case 'resolved':
      return state.stage === 'waiting' && state.plan!.isForward ? askNext(state) : state;
    case 'prepared':
      return { ...state, stage: state.plan?.isManual ? 'held' : 'prepared', isRouted: true };
    case 'committed':
      return detail === 'awaiting-clearance' ? commitParts(state) : state;
    case 'completed':
      return { ...state, stage: 'completed' };
    case 'failed':
      return { ...state, failure: { reason: String(reason), detail: String(detail) } };
    case 'aborted':
      return abortParts(state);
    case 'rejected':
      return { ...state, stage: 'rejected', parts: state.parts.map((one) => (one === 'aborted' ? one : 'idle')) };
    case 'error':
      return followNote(state);
    default:
      return state;
  }
}

/** The core prepares once, with a proof per entry: the first begins the calls. */
function followCore(state: IntentState, { status }: JsonObject): IntentState {
  const isBegun = status === 'prepared' && state.stage === 'waiting' && hasReservation(state.plan!);
  return isBegun ? askNext(state) : state;
}

function followNote(state: IntentState): IntentState {
  const part = state.parts.findIndex((status, at) => AWAITED[status] && !state.givenUp.includes(at));
  return part < 0 ? state : { ...state, givenUp: [...state.givenUp, part].sort((one, other) => one - other) };
}

/** Asks bridges: those of debits, or of credits when every debit is prepared or there is none. */
function askNext(state: IntentState): IntentState {
  if (state.parts.includes('asked')) return state;
  const sideOf = (part: number) => state.plan!.parts[part]!.side;
  const sides = state.parts.flatMap((status, part) => (status === 'idle' ? [sideOf(part)] : []));
  if (sides.length === 0) return state;
  const side = sides.includes('debit') ? 'debit' : 'credit';
  const parts = state.parts.map((status, part) => (sideOf(part) === side ? 'asked' : status));
  return { ...state, stage: `${side}s`, parts };
}

function commitParts(state: IntentState): IntentState {
  return { ...state, stage: 'committing', parts: state.parts.map(() => 'committing'), givenUp: [] };
}

function abortParts(state: IntentState): IntentState {
  const parts = state.parts.map((status) => (status === 'idle' ? 'idle' : 'aborting'));
  return { ...state, stage: 'aborting', parts, givenUp: [] };
}

const REPORTS: readonly unknown[] = ['prepared', 'failed', 'committed', 'aborted'] satisfies ReportStatus[];

function followReport(state: IntentState, { handle, status, action }: JsonObject): IntentState {
  if (state.stage === 'held' && action === 'commit') return { ...state, stage: 'prepared' };
  if (typeof handle !== 'string' || !REPORTS.includes(status)) return state;
  const taken = applyReport(state, handle, status as ReportStatus);
  return taken ? followPrepared(taken) : state;
}

/** Asks the bridges of credits after the last debit has been prepared. */
function followPrepared(after: IntentState): IntentState {
  return after.stage !== 'debits' || after.parts.includes('failed') ? after : askNext(after);
}

function isFinal({ stage }: IntentState): boolean {
  return stage === 'completed' || stage === 'rejected';
}
